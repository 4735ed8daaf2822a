import type { VisibleChange } from '../operation/changes/decide-changes.ts'
import { type ChangesReader, type WrittenChange, writeEach } from './write-changes.ts'

/** A client that does not read has at most about so many characters in memory. */
const maxTextLength = 262_144

/** So many changes are written at once, because what they show is read together. */
const changesPerWrite = 50

/** A part of the changes, as events. */
export interface WrittenEvents {
  readonly text: string
  /** The index of the first change that is not in it. */
  readonly nextIndex: number
  /** The position after it; undefined within a transaction. */
  readonly position: string | undefined
}

/** Changes as server-sent events. Only the last event of a transaction has an id. */
export class ChangeEvents {
  readonly changes: readonly VisibleChange[]
  readonly #seal: (position: string) => string
  #last: { readonly start: number; readonly events: Promise<WrittenEvents> } | undefined

  constructor(changes: readonly VisibleChange[], seal: (position: string) => string) {
    this.changes = changes
    this.#seal = seal
  }

  /**
   * The events from a change on: whole transactions, or a part of one that is too long. The last
   * part that was asked for is kept, for others who are as far.
   */
  async from(start: number, reader: ChangesReader): Promise<WrittenEvents> {
    if (this.#last?.start === start)
      try {
        return await this.#last.events
      } catch {
        // Whoever asked first may have left, so the failure may be theirs alone.
      }
    const events = this.#write(start, reader)
    if (start >= (this.#last?.start ?? 0)) this.#last = { start, events }
    return events
  }

  async #write(start: number, reader: ChangesReader): Promise<WrittenEvents> {
    const written: (WrittenChange | undefined)[] = []
    let text = ''
    // Which event is the last one of its transaction shows when the next one is written.
    let last: WrittenChange | undefined
    let whole: WrittenEvents | undefined
    for (let index = start; index < this.changes.length; index++) {
      if (index === start + written.length) {
        const slice = this.changes.slice(index, index + changesPerWrite)
        written.push(...(await writeEach(reader, slice)))
      }
      const change = written[index - start]
      if (change) {
        if (last) text += eventOf(last, '')
        last = change
        if (text.length >= maxTextLength)
          return whole ?? { text, nextIndex: index, position: undefined }
      }
      const { transaction, position } = this.changes[index]!
      if (this.changes[index + 1]?.transaction === transaction) continue
      if (last) text += eventOf(last, `id: ${this.#seal(position)}\n`)
      last = undefined
      whole = { text, nextIndex: index + 1, position }
      if (text.length >= maxTextLength) break
    }
    return whole ?? { text, nextIndex: this.changes.length, position: undefined }
  }
}

function eventOf({ kind, text }: WrittenChange, id: string): string {
  return `event: ${kind}\n${id}data: ${text}\n\n`
}
