import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Row } from '../sql/rows.ts'
import type { CapturedRows } from './captured-rows.ts'
import type { Engine } from './engine.ts'
import type { SqlDatabase } from './sql-database.ts'

/** What a row was: an item, a row of no item, or nothing that can be read any more. */
export type CapturedItem =
  | { readonly kind: 'item'; readonly item: StoredItem }
  | { readonly kind: 'none' }
  | { readonly kind: 'unreadable' }

/** Reads rows of the tables of a model, which triggers have logged. */
export type ReadCaptured = (
  model: string,
  texts: readonly string[],
) => Promise<readonly CapturedItem[]>

/** No statement gets more rows, or more characters unless one row has them. */
const maxRows = 200
const maxCharacters = 2 ** 20

/** @param rowsOf reads rows of the model with this name, if the store has opened it */
export function capturedItems(
  engine: Engine,
  database: Pick<SqlDatabase, 'read'>,
  rowsOf: (model: string) => CapturedRows | undefined,
): ReadCaptured {
  const readAll = async (
    rows: CapturedRows,
    texts: readonly string[],
  ): Promise<readonly CapturedItem[]> => {
    try {
      const [result] = await database.read([rows.statement(texts)])
      return itemsIn(rows, texts.length, result!.rows as readonly Row[])
    } catch (error) {
      if (!engine.isMalformedValue(error) && !engine.violationOf(error)) throw error
      // A type of a column has changed: the other rows may be as before.
      if (texts.length === 1) return [unreadable]
      const items: CapturedItem[] = []
      for (const text of texts) items.push(...(await readAll(rows, [text])))
      return items
    }
  }
  return async (model, texts) => {
    const rows = rowsOf(model)
    if (!rows) return texts.map(() => unreadable)
    const items: CapturedItem[] = []
    for (const some of inParts(texts)) items.push(...(await readAll(rows, some)))
    return items
  }
}

function inParts(texts: readonly string[]): readonly (readonly string[])[] {
  const parts: string[][] = []
  let characters = 0
  for (const text of texts) {
    const part = parts.at(-1)
    characters += text.length
    if (part && part.length < maxRows && characters <= maxCharacters) part.push(text)
    else {
      parts.push([text])
      characters = text.length
    }
  }
  return parts
}

const none: CapturedItem = { kind: 'none' }
const unreadable: CapturedItem = { kind: 'unreadable' }

/** For stores without such rows. */
export const nothingCaptured: ReadCaptured = async (_, texts) => texts.map(() => unreadable)

function itemsIn(
  rows: CapturedRows,
  count: number,
  results: readonly Row[],
): readonly CapturedItem[] {
  const items = Array.from({ length: count }, () => none)
  for (const row of results) {
    const { index, item } = rows.read(row)
    items[index] = item ? { kind: 'item', item } : unreadable
  }
  return items
}
