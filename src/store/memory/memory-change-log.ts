import type {
  ChangeLog,
  ChangeLogWriter,
  ChangeRetention,
  ErasedChange,
  ErasedOld,
  LoggedChange,
  OldChanges,
  ReadChanges,
} from '../change-log.ts'
import { newLogName } from '../change-log.ts'
import { ChangeListeners } from '../change-signal.ts'

interface MemoryEntry {
  readonly number: number
  readonly transaction: number
  readonly change: LoggedChange | ErasedChange
}

/** The log of a store in memory. Transactions run one at a time, so changes are numbered. */
export class MemoryChangeLog implements ChangeLog {
  #log = newLogName()
  readonly #signal = new ChangeListeners()
  #entries: MemoryEntry[] = []
  /** The number of the last change. */
  #end = 0

  areKept(): boolean {
    return true
  }

  async end(): Promise<string> {
    return this.#format(this.#end)
  }

  async read(after: string | undefined, limit: number): Promise<ReadChanges> {
    const removed = (this.#entries[0]?.number ?? this.#end + 1) - 1
    const position = after === undefined ? removed : this.#parse(after)
    if (position === undefined || position > this.#end) return { kind: 'unknown' }
    if (position < removed) return { kind: 'expired' }
    const start = position - removed
    const read = this.#entries.slice(start, start + limit)
    return {
      kind: 'changes',
      entries: read.map(({ number, transaction, change }) => ({
        ...change,
        position: this.#format(number),
        transaction: String(transaction),
      })),
      next: this.#format(read.at(-1)?.number ?? position),
      isEnd: read.length < limit,
    }
  }

  watch(listener: () => void): () => void {
    return this.#signal.watch(listener)
  }

  async removeOldest({ beforeMs, maxEntries }: ChangeRetention, limit: number): Promise<number> {
    const expired = this.#entries
      .slice(0, limit)
      .findLastIndex(({ change }) => change.timeMs < beforeMs)
    const excess = Math.min(this.#entries.length - maxEntries, limit)
    const count = Math.max(expired + 1, excess, 0)
    this.#entries = this.#entries.slice(count)
    return count
  }

  async erase(model: string, id: string): Promise<number> {
    return this.#erase(
      ({ change }) => change.kind !== 'erased' && change.model === model && change.id === id,
    )
  }

  async eraseOld({ models, beforeMs, after }: OldChanges, limit: number): Promise<ErasedOld> {
    const position = (after === undefined ? undefined : this.#parse(after)) ?? 0
    const next = this.#entries.filter(({ number }) => number > position).slice(0, limit)
    const last = next.findLast(({ change }) => change.timeMs < beforeMs)
    if (!last) return { erased: 0, next: after, isEnd: true }
    const erased = this.#erase(
      ({ number, change }) =>
        number > position && number <= last.number && models.includes(change.model),
    )
    const isEnd = next.length < limit || last !== next.at(-1)
    return { erased, next: this.#format(last.number), isEnd }
  }

  async rename(): Promise<void> {
    this.#log = newLogName()
  }

  /** @returns how many changes it erases */
  #erase(isErased: (entry: MemoryEntry) => boolean): number {
    let erased = 0
    this.#entries = this.#entries.map((entry) => {
      const { kind, model, timeMs } = entry.change
      if (kind === 'erased' || !isErased(entry)) return entry
      erased++
      return { ...entry, change: { kind: 'erased', model, timeMs } }
    })
    return erased
  }

  /** The log of one transaction. `commit` keeps what it adds. */
  begin(check: () => void): { readonly writer: ChangeLogWriter; commit(): void } {
    let added: readonly LoggedChange[] = []
    return {
      writer: {
        add: async (changes) => {
          check()
          added = changes
        },
      },
      commit: () => {
        const transaction = this.#end + 1
        for (const change of added) this.#entries.push({ number: ++this.#end, transaction, change })
        if (added.length > 0) this.#signal.committed()
      },
    }
  }

  #format(number: number): string {
    return `${this.#log}.${number}`
  }

  /** Undefined if it is a position of another log. */
  #parse(position: string): number | undefined {
    const [log, number, ...rest] = position.split('.')
    if (log !== this.#log || rest.length > 0 || !/^\d{1,15}$/.test(number ?? '')) return undefined
    return Number(number)
  }
}
