import type { ModelDescription } from '../../model/description.ts'
import { isShown } from '../item-text.ts'
import type { StoredItem } from '../stored-item.ts'

/**
 * What is read of an item, in the order of `itemOf`. Every column costs: the id and the hash are read off the text, and hidden members
 * are not asked for where the model has none.
 */
export function columnsOf(model: ModelDescription): readonly string[] {
  return model.values.every(isShown) ? shownColumns : allColumns
}

const shownColumns: readonly string[] = ['"text"', '"split"', '"revision"']
const allColumns: readonly string[] = [...shownColumns, '"hidden"']

export type Row = readonly unknown[]

/** @param width how many columns of the row are the item's, where others follow */
export function itemOf(row: Row, width: number = row.length): StoredItem {
  const text = row[0] as string
  return {
    id: idIn(text),
    text,
    split: row[1] as number,
    hidden: width > shownColumns.length ? (row[shownColumns.length] as string | null) : null,
    hash: hashIn(text),
    revision: row[2] as number,
  }
}

const beforeId = '{"id":"'
const beforeHash = '"hash":"'
/** SHA-256 in base64url. */
const hashLength = 43

/** Every text begins with the id. */
function idIn(text: string): string {
  const end = text.indexOf('"', beforeId.length)
  const id = text.slice(beforeId.length, end)
  return id.includes('\\') ? (JSON.parse(text) as { id: string }).id : id
}

/** Every text of an item that has a hash ends with it. */
function hashIn(text: string): string | null {
  const start = text.length - hashLength - 2
  return text.startsWith(beforeHash, start - beforeHash.length) ? text.slice(start, -2) : null
}
