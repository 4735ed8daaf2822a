import { AsyncResource } from 'node:async_hooks'
import { growingPause } from '../../../concurrency/pause.ts'
import type { ChangeWait } from '../../../operation/changes/change-feed.ts'
import type { ChangeEntry, ChangeLog, ReadChanges } from '../../../store/change-log.ts'
import { changesRead } from '../../../telemetry/channels.ts'
import { Deliveries } from './deliveries.ts'
import { FollowingLog } from './following-log.ts'
import { maxRecent, RecentChanges } from './recent-changes.ts'

/** How long the tail is read after somebody has asked for its end, in milliseconds. */
const askedMs = 5_000

/** How often changes that are too old leave the memory, in milliseconds. */
const removeEveryMs = 1_000

const entriesPerRead = 1_000

/** With 1 000 followers the tail is read at most each 4 ms, with more of them less often. */
const followersPerPauseMs = 250
const maxPauseMs = 20

/** With 100 followers each of them is given something at most each 10 ms, with more less often. */
const followersPerRestMs = 10
const maxRestMs = 120

/** After a read that failed, in milliseconds. */
const firstPauseMs = 500
const maxFailedPauseMs = 10_000

/**
 * Reads the log once for all who follow it in this process, and keeps its newest changes for them
 * while somebody waits.
 */
export class LogTail {
  readonly log: ChangeLog
  readonly deliveries: Deliveries = new Deliveries()
  readonly following: FollowingLog
  readonly #onError: (error: unknown) => void
  /** Else what it reads would belong to the request whose change it reads. */
  readonly #scope = new AsyncResource('resourcery.LogTail')
  readonly #waits = new Set<Wait>()
  #followers = 0
  #arrivals = 0
  /** Undefined while nobody follows. */
  #recent: RecentChanges | undefined
  #unwatch: (() => void) | undefined
  #removing: NodeJS.Timeout | undefined
  #isPulling = false
  #isStale = false
  #failures = 0
  #isAsked = false
  #asking: (() => void) | undefined

  constructor(log: ChangeLog, onError: (error: unknown) => void) {
    this.log = log
    this.following = new FollowingLog(log)
    this.#onError = onError
  }

  get arrivals(): number {
    return this.#arrivals
  }

  /**
   * How long a follower who has got something waits for more, in milliseconds. To send costs about
   * the same for one change and for several, so they are sent together.
   */
  get restMs(): number {
    return Math.min(this.#followers / followersPerRestMs, maxRestMs)
  }

  /** Of what is known here, which may be less than what is committed. */
  knownEnd(): Promise<string> {
    const { end } = this.#recent ?? {}
    this.#followForAWhile()
    return end === undefined ? this.log.end() : Promise.resolve(end)
  }

  async read(after: string | undefined, limit: number): Promise<ReadChanges> {
    const recent = after === undefined ? undefined : this.#recent?.read(after, limit)
    return recent ?? this.log.read(after, limit)
  }

  /** The next one who asks for the end needs no query then. */
  #followForAWhile(): void {
    this.#isAsked = true
    if (this.#asking) return
    const unfollow = this.follow()
    const timer = setInterval(() => {
      if (this.#isAsked) this.#isAsked = false
      else this.rest()
    }, askedMs)
    timer.unref()
    this.#asking = () => {
      clearInterval(timer)
      unfollow()
    }
  }

  /** Follows only for those who wait. */
  rest(): void {
    this.#asking?.()
    this.#asking = undefined
  }

  /** Reads all from the log again: something in it was erased. */
  forget(): void {
    this.following.forget()
    if (this.#recent) this.#recent = new RecentChanges(this.#recent.end)
    this.#arrivals++
  }

  /** Watches the log until the returned function is called. */
  follow(): () => void {
    if (this.#followers++ === 0) {
      this.#unwatch = this.log.watch(() => this.#scope.runInAsyncScope(() => this.#pull()))
      this.#removing = setInterval(() => this.#recent?.removeOld(), removeEveryMs).unref()
      this.#pull()
    }
    return () => {
      if (--this.#followers > 0) return
      this.#unwatch?.()
      this.#unwatch = undefined
      clearInterval(this.#removing)
      this.#recent = undefined
    }
  }

  /**
   * @param delayMs how long after changes it ends
   * @param ended called when it ends, before anybody knows
   */
  wait(arrivals: number, timeoutMs: number, delayMs = 0, ended?: () => void): ChangeWait {
    const wait = new Wait(timeoutMs, delayMs, () => {
      this.#waits.delete(wait)
      ended?.()
    })
    this.#waits.add(wait)
    if (arrivals !== this.#arrivals) queueMicrotask(() => wait.arrive())
    return wait
  }

  /** One read at a time; what comes meanwhile is read after it. */
  #pull(): void {
    this.#isStale = true
    if (this.#isPulling) return
    this.#isPulling = true
    void this.#pullAll()
      .catch((error) => this.#readFailed(error))
      .finally(() => {
        this.#isPulling = false
        if (this.#isStale && this.#followers > 0) this.#pull()
      })
  }

  /** Nobody may write for long, so what is committed already is read again after a pause. */
  async #readFailed(error: unknown): Promise<void> {
    // Of a store that is closed, nobody needs anything.
    if (this.#followers === 0) return
    this.#isStale = true
    this.#onError(error)
    await pause(growingPause(++this.#failures, firstPauseMs, maxFailedPauseMs))
  }

  async #pullAll(): Promise<void> {
    while (this.#isStale && this.#followers > 0) {
      this.#isStale = false
      const mayHaveChanges = await this.#readNew()
      this.#failures = 0
      if (mayHaveChanges) this.#wake()
      await pause(Math.min(Math.ceil(this.#followers / followersPerPauseMs), maxPauseMs))
    }
  }

  /** @returns whether there may be changes */
  async #readNew(): Promise<boolean> {
    if (!this.#recent) {
      this.#recent = new RecentChanges(await this.log.end())
      // Somebody may have read before it.
      return true
    }
    const recent = this.#recent
    const added: ChangeEntry[] = []
    let { end } = recent
    let droppedUpTo: string | undefined
    for (let isEnd = false; !isEnd; ) {
      const read = await this.log.read(end, entriesPerRead)
      if (read.kind !== 'changes') {
        this.#recent = new RecentChanges(await this.log.end())
        return true
      }
      if (read.entries.length > 0 && changesRead.hasSubscribers)
        changesRead.publish({ delayMs: Math.max(0, Date.now() - read.entries[0]!.timeMs) })
      added.push(...read.entries)
      const dropped = added.splice(0, Math.max(added.length - maxRecent, 0))
      droppedUpTo = dropped.at(-1)?.position ?? droppedUpTo
      end = read.next
      isEnd = read.isEnd
    }
    if (end === recent.end) return false
    // It may have read what was erased meanwhile, or nobody follows any more.
    if (this.#recent !== recent) {
      this.#isStale = true
      return true
    }
    // Those who have read up to the old end find the dropped changes in the log only.
    const following = droppedUpTo === undefined ? recent : new RecentChanges(droppedUpTo)
    following.add(added, end)
    this.#recent = following
    return true
  }

  #wake(): void {
    this.#arrivals++
    for (const wait of [...this.#waits]) wait.arrive()
  }
}

/** What groups of followers need of it. */
export type FollowedTail = Pick<LogTail, 'arrivals' | 'deliveries' | 'restMs' | 'wait'>

class Wait implements ChangeWait {
  readonly ended: Promise<boolean>
  readonly #delayMs: number
  readonly #onEnd: () => void
  #timer: NodeJS.Timeout
  #hasArrived = false
  #resolve: (isChanged: boolean) => void = () => {}

  constructor(timeoutMs: number, delayMs: number, onEnd: () => void) {
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve
    })
    this.#delayMs = delayMs
    this.#onEnd = onEnd
    this.#timer = setTimeout(() => this.end(), timeoutMs)
    this.#timer.unref()
  }

  arrive(): void {
    if (this.#hasArrived) return
    this.#hasArrived = true
    clearTimeout(this.#timer)
    if (this.#delayMs === 0) this.#settle(true)
    else this.#timer = setTimeout(() => this.#settle(true), this.#delayMs).unref()
  }

  end(): void {
    this.#settle(false)
  }

  #settle(isChanged: boolean): void {
    clearTimeout(this.#timer)
    this.#onEnd()
    this.#resolve(isChanged)
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
