import type { Clock } from '../../../context/context.ts'
import { refusalsOf } from '../../../error/refusals.ts'
import type {
  ChangeFeed,
  ChangeWait,
  LogPart,
  SharedPart,
  SharedReader,
  SharedWaits,
} from '../../../operation/changes/change-feed.ts'
import type { FollowingChanges } from '../../../operation/changes/following-changes.ts'
import type { ChangePositionCodec } from '../../../query/change-position.ts'
import type { ReadChanges } from '../../../store/change-log.ts'
import type { ChangeFeedSettings } from './change-feed-options.ts'
import type { LogTail } from './log-tail.ts'
import { WaitingGroups } from './waiting-groups.ts'

export const routerChangeFeedErrors = ['too-many-requests'] as const

const { temporaryRefusal } = refusalsOf(routerChangeFeedErrors)

interface FeedParts {
  /** Of the store, shared by all routers over it. */
  readonly tail: LogTail
  readonly positions: ChangePositionCodec
  readonly clock: Clock
  isLogged(modelName: string): boolean
}

/** What the requests of one router follow the log of changes with. */
export class RouterChangeFeed implements ChangeFeed {
  readonly positions: ChangePositionCodec
  readonly clock: Clock
  readonly isLogged: ChangeFeed['isLogged']
  readonly connectionMs: number
  readonly heartbeatMs: number
  readonly #settings: ChangeFeedSettings
  readonly #tail: LogTail
  #closing = new AbortController()
  readonly #byClient = new Map<string, number>()
  readonly #shared: WaitingGroups
  readonly #waits = new Set<ChangeWait>()
  #subscribers = 0

  constructor(settings: ChangeFeedSettings, { tail, positions, clock, isLogged }: FeedParts) {
    this.positions = positions
    this.clock = clock
    this.isLogged = isLogged
    this.connectionMs = settings.connectionMs
    this.heartbeatMs = settings.heartbeatMs
    this.#settings = settings
    this.#tail = tail
    this.#shared = new WaitingGroups(tail)
  }

  get closing(): AbortSignal {
    return this.#closing.signal
  }

  get arrivals(): number {
    return this.#tail.arrivals
  }

  end(): Promise<string> {
    return this.#tail.log.end()
  }

  knownEnd(): Promise<string> {
    return this.#tail.knownEnd()
  }

  read(after: string | undefined, limit: number): Promise<ReadChanges> {
    return this.#tail.log.read(after, limit)
  }

  following(part: LogPart): Promise<FollowingChanges | undefined> {
    return this.#tail.following.after(part)
  }

  readArrived(after: string | undefined, limit: number): Promise<ReadChanges> {
    return this.#tail.read(after, limit)
  }

  shareWaits<P extends SharedPart>(key: string, reader: SharedReader<P>): SharedWaits {
    return this.#shared.member(key, reader)
  }

  wait(arrivals: number, timeoutMs: number): ChangeWait {
    const { restMs } = this.#tail
    const wait = this.#tail.wait(arrivals, timeoutMs, restMs, () => this.#waits.delete(wait))
    this.#waits.add(wait)
    return wait
  }

  subscribe(client: string): () => void {
    const ofClient = this.#byClient.get(client) ?? 0
    const { maxSubscribers, maxSubscribersPerCaller } = this.#settings
    if (ofClient >= maxSubscribersPerCaller)
      throw temporaryRefusal(
        'too-many-requests',
        `At most ${maxSubscribersPerCaller} requests of one client wait for changes at once. End one of them.`,
        secondsUntilFree,
      )
    if (this.#subscribers >= maxSubscribers)
      throw temporaryRefusal(
        'too-many-requests',
        'Too many clients wait for changes. Try again later.',
        secondsUntilFree,
      )
    this.#subscribers++
    this.#byClient.set(client, ofClient + 1)
    const unfollow = this.#tail.follow()
    let isCounted = true
    return () => {
      if (!isCounted) return
      isCounted = false
      this.#subscribers--
      const left = this.#byClient.get(client)! - 1
      if (left > 0) this.#byClient.set(client, left)
      else this.#byClient.delete(client)
      unfollow()
    }
  }

  /** Something in the log was erased. */
  forget(): void {
    this.#tail.forget()
    this.#shared.forget()
  }

  /** Ends all streams of now; another host may serve later ones. */
  endStreams(): void {
    const ending = this.#closing
    this.#closing = new AbortController()
    ending.abort()
    this.#endWaits()
  }

  close(): void {
    this.#closing.abort()
    this.#endWaits()
    this.#tail.rest()
    this.#shared.forget()
  }

  #endWaits(): void {
    this.#shared.end()
    for (const wait of [...this.#waits]) wait.end()
  }
}

/** Streams end one by one. */
const secondsUntilFree = 5
