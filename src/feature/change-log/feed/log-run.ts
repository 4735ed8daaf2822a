import type { LogPart } from '../../../operation/changes/change-feed.ts'
import { FollowingChanges } from '../../../operation/changes/following-changes.ts'
import { LogWindow, type PastOrErased } from '../../../operation/changes/log-window.ts'
import type { ChangeEntry } from '../../../store/change-log.ts'

/** Who has more changes to read reads the list again, where related items decide about it. */
export const maxFollowingChanges = 15_000

/** The same for bytes of the items before them. */
export const maxFollowingBytes = 67_108_864

/** The log from a position on, as far as it is read. */
export class LogRun {
  /** When its first change was read. */
  readonly sinceMs: number
  readonly #changes = new LogWindow()
  /** Positions with the number of the changes before them. */
  readonly #numbers = new Map<string, number>()
  #bytes = 0
  #unordered = new LogWindow()
  #unorderedBytes = 0
  #end: string

  constructor(after: string, sinceMs: number = performance.now()) {
    this.sinceMs = sinceMs
    this.#end = after
    this.#numbers.set(after, 0)
  }

  /** The position from which to read on. */
  get end(): string {
    return this.#end
  }

  get isTooLong(): boolean {
    return (
      this.#changes.count + this.#unordered.count > maxFollowingChanges ||
      this.#bytes + this.#unorderedBytes > maxFollowingBytes
    )
  }

  has(position: string): boolean {
    return this.#numbers.has(position)
  }

  /** Undefined if the position is not in it. */
  following(position: string): FollowingChanges | undefined {
    const number = this.#numbers.get(position)
    if (number === undefined) return undefined
    return new FollowingChanges(this.#changes, number, this.#unordered)
  }

  add({ entries, next }: Pick<LogPart, 'entries' | 'next'>): void {
    for (const entry of entries) {
      this.#add(pastOf(entry))
      this.#numbers.set(entry.position, this.#changes.count)
    }
    this.#end = next
    this.#numbers.set(next, this.#changes.count)
  }

  /** What is committed after it, in place of what was before. */
  endWith(unordered: readonly ChangeEntry[]): void {
    const changes = unordered.map(pastOf)
    this.#unordered = new LogWindow(changes)
    this.#unorderedBytes = changes.reduce((sum, change) => sum + bytesBefore(change), 0)
  }

  /** The changes of the other one too, from its position `end` on. */
  addRun(other: LogRun): void {
    const from = other.#numbers.get(this.#end)!
    const shift = this.#changes.count - from
    for (const change of other.#changes.since(from)) this.#add(change)
    for (const [position, number] of other.#numbers)
      if (number >= from) this.#numbers.set(position, number + shift)
    this.#unordered = other.#unordered
    this.#unorderedBytes = other.#unorderedBytes
    this.#end = other.#end
  }

  #add(change: PastOrErased): void {
    this.#changes.add(change)
    this.#bytes += bytesBefore(change)
  }
}

/** Items as they were after changes are those before the next ones, so they are not kept. */
function pastOf(entry: ChangeEntry): PastOrErased {
  if (entry.kind === 'erased') return { kind: entry.kind, model: entry.model }
  const { kind, model, id, before } = entry
  return { kind, model, id, before }
}

function bytesBefore(change: PastOrErased): number {
  if (change.kind === 'erased' || !change.before) return 0
  const { text, hiddenText } = change.before
  return Buffer.byteLength(text) + Buffer.byteLength(hiddenText ?? '')
}
