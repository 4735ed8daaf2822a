import type { ChangeEntry, ErasedChange, LoggedAt, LoggedChange } from '../change-log.ts'
import { type ChangeOrder, type LogRow, readLogRow } from '../sql/change-log-statements.ts'
import { isPacked, unpackChange } from '../sql/packed-change.ts'
import type { Row } from '../sql/rows.ts'
import type { CapturedItem, ReadCaptured } from './captured-items.ts'
import { formatPosition } from './change-positions.ts'

/**
 * The changes in rows of the log. Those of triggers have rows instead of items; a row of no item
 * gives no change.
 */
export async function logEntries(
  rows: readonly Row[],
  order: ChangeOrder,
  log: string,
  readCaptured: ReadCaptured,
): Promise<readonly ChangeEntry[]> {
  const logRows = rows.map((row) => readLogRow(row, order))
  const captured = await capturedIn(logRows, readCaptured)
  return logRows.flatMap((row) => {
    const at = { position: formatPosition(log, row.position), transaction: row.transaction }
    if (row.kind === 'erased') return erased(row, at)
    const [before, after] = [row.before, row.after].map((text) => captured.get(keyOf(row, text)))
    if (before || after) return capturedEntry(row, at, before ?? none, after ?? none)
    const { kind, model, id, timeMs, caller } = row
    const items = unpackChange(id, row.before, row.after)
    return { kind, model, id, timeMs, caller, ...items, ...at }
  })
}

const none: CapturedItem = { kind: 'none' }

/** The items of all rows that are captured, by model and text. */
async function capturedIn(
  rows: readonly LogRow[],
  readCaptured: ReadCaptured,
): Promise<ReadonlyMap<string, CapturedItem>> {
  const texts = new Map<string, Set<string>>()
  for (const { model, before, after } of rows)
    for (const text of [before, after]) {
      if (text === null || isPacked(text)) continue
      const ofModel = texts.get(model) ?? new Set()
      texts.set(model, ofModel.add(text))
    }
  const items = new Map<string, CapturedItem>()
  for (const [model, ofModel] of texts) {
    const list = [...ofModel]
    const read = await readCaptured(model, list)
    for (const [index, text] of list.entries()) items.set(keyOf({ model }, text), read[index]!)
  }
  return items
}

function keyOf({ model }: Pick<LogRow, 'model'>, text: string | null): string {
  return `${model}\n${text}`
}

/** Readers read again what cannot be told: the change of a row that nobody can read any more. */
function capturedEntry(
  row: LogRow,
  at: LoggedAt,
  before: CapturedItem,
  after: CapturedItem,
): readonly ChangeEntry[] {
  if (before.kind === 'unreadable' || after.kind === 'unreadable') return [erased(row, at)]
  const { model, timeMs, caller } = row
  const [former, current] = [before, after].map((each) => (each.kind === 'item' ? each.item : null))
  const item = current ?? former
  if (!item) return []
  const kind: LoggedChange['kind'] = !former ? 'create' : current ? 'update' : 'delete'
  const items = { before: former ?? null, after: current ?? null }
  return [{ kind, model, id: item.id, timeMs, caller, ...items, ...at }]
}

function erased({ model, timeMs }: LogRow, at: LoggedAt): ErasedChange & LoggedAt {
  return { kind: 'erased', model, timeMs, ...at }
}
