import type { VisibleChange } from '../operation/changes/decide-changes.ts'
import { type ChangesReader, type WrittenChange, writeEach } from './write-changes.ts'

/** A client that does not read has at most about so many characters in memory. */
const maxTextLength = 262_144

/** So many changes are written at once, because what they show is read together. */
const changesPerWrite = 50

/** The first changes, as events. */
export interface WrittenEvents {
  readonly text: string
  /** How many changes are in it. */
  readonly count: number
  /** Does their last transaction go on? Its last event has an id, and is not among them. */
  readonly isWithin: boolean
}

/**
 * Changes as server-sent events: whole transactions, or a part of one that is too long. Only the
 * last event of a transaction has an id.
 * @param isOpen whether the last transaction may go on after the changes
 */
export async function writeEvents(
  changes: readonly VisibleChange[],
  isOpen: boolean,
  reader: ChangesReader,
  seal: (position: string) => string,
): Promise<WrittenEvents> {
  const written: (WrittenChange | undefined)[] = []
  let text = ''
  // Which event is the last one of its transaction shows when the next one is written.
  let last: WrittenChange | undefined
  let whole: WrittenEvents | undefined
  for (const [index, { transaction, position }] of changes.entries()) {
    if (index === written.length)
      written.push(...(await writeEach(reader, changes.slice(index, index + changesPerWrite))))
    const change = written[index]
    if (change) {
      if (last) text += eventOf(last, '')
      last = change
      if (text.length >= maxTextLength) return whole ?? { text, count: index, isWithin: true }
    }
    const isLast = index === changes.length - 1
    if (isLast ? isOpen : changes[index + 1]!.transaction === transaction) continue
    if (last) text += eventOf(last, `id: ${seal(position)}\n`)
    last = undefined
    whole = { text, count: index + 1, isWithin: false }
    if (text.length >= maxTextLength) return whole
  }
  if (last) text += eventOf(last, '')
  return { text, count: changes.length, isWithin: isOpen }
}

function eventOf({ kind, text }: WrittenChange, id: string): string {
  return `event: ${kind}\n${id}data: ${text}\n\n`
}
