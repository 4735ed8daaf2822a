import type { ModelDescription } from '../../model/description.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { isShown } from '../item-text.ts'
import type { StoredItem } from '../stored-item.ts'

/**
 * What is read of an item, in the order of `itemOf`. Every column costs: the id and the hash are read off the text, and hidden members
 * (and the keys of blobs with them) are not asked for where the model has none.
 */
export function columnsOf(model: ModelDescription): readonly string[] {
  return model.slots.length === 0 && model.values.every(isShown) ? shownColumns : allColumns
}

const shownColumns: readonly string[] = ['"text"', '"split"', '"revision"']
const allColumns: readonly string[] = [...shownColumns, '"hidden"']

export type Row = readonly unknown[]

export function itemOf(row: Row): StoredItem {
  const item = new RowItem(row, row.length)
  const { text, split, revision, hidden } = item
  return { id: item.id, text, split, hidden, hash: item.hash, revision }
}

/**
 * The same for one item of many: lists send texts and ask for little else, so the rest is worked out only when it is asked for.
 *
 * @param width how many columns of the row are the item's, where others follow
 */
export function listedItemOf(row: Row, width: number = row.length): StoredItem {
  return new RowItem(row, width)
}

class RowItem implements StoredItem {
  readonly text: string
  readonly split: number
  readonly revision: number
  readonly hidden: string | null

  constructor(row: Row, width: number) {
    this.text = row[0] as string
    this.split = row[1] as number
    this.revision = row[2] as number
    this.hidden = width > shownColumns.length ? (row[shownColumns.length] as string | null) : null
  }

  get id(): string {
    return idIn(this.text)
  }

  get hash(): string | null {
    return hashIn(this.text)
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

/** Numbers come as they are; text and booleans as JSON, which gives back each of them exactly. */
export function scalarOf(key: unknown): Scalar {
  return typeof key === 'string' ? (JSON.parse(key) as Scalar) : (key as number | null)
}
