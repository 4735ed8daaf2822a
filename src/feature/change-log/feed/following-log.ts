import type { LogPart } from '../../../operation/changes/change-feed.ts'
import type { FollowingChanges } from '../../../operation/changes/following-changes.ts'
import type { ChangeLog } from '../../../store/change-log.ts'
import { LogRun, maxFollowingChanges } from './log-run.ts'

const entriesPerRead = 500

/** How long it is kept, in milliseconds: what is erased must not stay in memory. */
const maxRunMs = 10_000

/**
 * What follows the parts of the log that clients read. It is read once for all clients of the
 * process: who is far behind needs nearly the same of it for each part, and for each list.
 */
export class FollowingLog {
  readonly #log: Pick<ChangeLog, 'read'>
  /** From the position of the client that is the furthest behind. */
  #run: LogRun | undefined
  #removing: NodeJS.Timeout | undefined
  #erasures = 0
  /** Numbers of calls: the last one, and the last one before the log was read to its end. */
  #lastCall = 0
  #lastServed = 0
  #queue: Promise<unknown> = Promise.resolve()

  constructor(log: Pick<ChangeLog, 'read'>) {
    this.#log = log
  }

  /** What is committed after the part. @returns undefined if it is too long, or cannot be read */
  after(part: LogPart): Promise<FollowingChanges | undefined> {
    const call = ++this.#lastCall
    const following = this.#queue.then(() => this.#find(part, call))
    this.#queue = following.catch(() => {})
    return following
  }

  /** Reads all from the log again: something in it was erased. */
  forget(): void {
    this.#erasures++
    this.#keep(undefined)
  }

  async #find(part: LogPart, call: number): Promise<FollowingChanges | undefined> {
    const { next } = part
    // Others have read the log since this call.
    const known = call <= this.#lastServed ? this.#run?.following(next) : undefined
    if (known) return known
    const erasures = this.#erasures
    const served = this.#lastCall
    const run = await this.#read(part)
    if (erasures === this.#erasures && run) {
      this.#keep(run)
      this.#lastServed = served
    }
    return run?.following(next)
  }

  #keep(run: LogRun | undefined): void {
    if (run === this.#run) return
    clearTimeout(this.#removing)
    this.#run = run
    if (!run) return
    const leftMs = Math.max(run.sinceMs + maxRunMs - performance.now(), 0)
    this.#removing = setTimeout(() => this.#keep(undefined), leftMs).unref()
  }

  /** A run with all that is committed after the part. */
  async #read(part: LogPart): Promise<LogRun | undefined> {
    const { next } = part
    const run = this.#run
    if (run && (await this.#readOn(run, part)))
      return run.has(next) ? run : this.#readBefore(run, next)
    this.#keep(undefined)
    const own = new LogRun(next)
    return (await this.#readToEnd(own)) ? own : undefined
  }

  /** @returns whether it could be read, and is not too long */
  async #readOn(run: LogRun, part: LogPart): Promise<boolean> {
    // Who reads on at its end has read what is new.
    if (run.end === part.after) run.add(part)
    if (!run.has(part.next) && !(await this.#readOrdered(run))) return false
    return this.#readToEnd(run)
  }

  /** @returns whether it could be read, and is not too long */
  async #readToEnd(run: LogRun): Promise<boolean> {
    let rest = await this.#log.read(run.end, entriesPerRead, 'committed')
    if (rest.kind === 'changes' && !rest.isEnd) {
      if (!(await this.#readOrdered(run))) return false
      // Behind a long transaction much may have no order yet, so it is read at once.
      rest = await this.#log.read(run.end, maxFollowingChanges, 'committed')
    }
    if (rest.kind !== 'changes' || !rest.isEnd) return false
    run.endWith(rest.entries)
    return !run.isTooLong
  }

  /** @returns whether it could be read, and is not too long */
  async #readOrdered(run: LogRun): Promise<boolean> {
    for (;;) {
      const read = await this.#log.read(run.end, entriesPerRead)
      if (read.kind !== 'changes') return false
      run.add(read)
      if (run.isTooLong) return false
      if (read.isEnd) return true
    }
  }

  /** A longer run, which begins at an earlier position. */
  async #readBefore(run: LogRun, after: string): Promise<LogRun | undefined> {
    const longer = new LogRun(after, run.sinceMs)
    for (;;) {
      const read = await this.#log.read(longer.end, entriesPerRead)
      if (read.kind !== 'changes') return undefined
      const known = read.entries.findIndex(({ position }) => run.has(position))
      if (known >= 0) {
        longer.add({
          entries: read.entries.slice(0, known + 1),
          next: read.entries[known]!.position,
        })
        longer.addRun(run)
        return longer.isTooLong ? undefined : longer
      }
      longer.add(read)
      if (longer.isTooLong) return undefined
      if (read.isEnd) return (await this.#readToEnd(longer)) ? longer : undefined
    }
  }
}
