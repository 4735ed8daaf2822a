import type { ChangeEntry, ReadChanges } from '../../../store/change-log.ts'

/** So many of the newest changes are in memory while somebody waits for them. */
export const maxRecent = 2_000

/** How long they are, in milliseconds: what is erased must not stay in memory. */
const maxRecentMs = 10_000

/** The newest changes, by the positions before them. */
export class RecentChanges {
  /** Positions with the number of the entries before them, of all that were ever added. */
  readonly #numbers = new Map<string, number>()
  #entries: { readonly entry: ChangeEntry; readonly addedMs: number }[] = []
  #removed = 0
  #end: string

  constructor(end: string) {
    this.#end = end
    this.#numbers.set(end, 0)
  }

  get end(): string {
    return this.#end
  }

  /** Undefined if the position is older, or not known. */
  read(after: string, limit: number): ReadChanges | undefined {
    const number = this.#numbers.get(after)
    if (number === undefined) return undefined
    const start = number - this.#removed
    const entries = this.#entries.slice(start, start + limit).map(({ entry }) => entry)
    const isEnd = start + limit >= this.#entries.length
    return {
      kind: 'changes',
      entries,
      next: isEnd ? this.#end : entries.at(-1)!.position,
      isEnd,
    }
  }

  add(entries: readonly ChangeEntry[], end: string): void {
    const addedMs = performance.now()
    for (const entry of entries) {
      this.#entries.push({ entry, addedMs })
      this.#numbers.set(entry.position, this.#removed + this.#entries.length)
    }
    this.#end = end
    this.#numbers.set(end, this.#removed + this.#entries.length)
    this.removeOld()
  }

  removeOld(): void {
    const beforeMs = performance.now() - maxRecentMs
    const first = this.#entries.findIndex(({ addedMs }) => addedMs >= beforeMs)
    const tooMany = this.#entries.length - maxRecent
    const count = Math.max(first < 0 ? this.#entries.length : first, tooMany, 0)
    if (count === 0) return
    this.#entries = this.#entries.slice(count)
    this.#removed += count
    for (const [position, number] of this.#numbers)
      if (number < this.#removed) this.#numbers.delete(position)
  }
}
