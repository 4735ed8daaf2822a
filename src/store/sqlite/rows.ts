import type { ModelDescription } from '../../model/description.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { isShown } from '../item-text.ts'
import { ownItems } from '../owned-items.ts'
import type { StoredItem } from '../stored-item.ts'
import { TextItem } from '../text-item.ts'

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
  const item = listedItemOf(row)
  const { text, split, revision, hidden } = item
  return { id: item.id, text, split, hidden, hash: item.hash, revision }
}

/**
 * The same for one item of many: lists send texts and ask for little else, so the rest is worked out only when it is asked for.
 *
 * @param width how many columns of the row are the item's, where others follow
 */
export function listedItemOf(row: Row, width: number = row.length): StoredItem {
  const hidden = width > shownColumns.length ? (row[shownColumns.length] as string | null) : null
  return new TextItem(row[0] as string, row[1] as number, row[2] as number, hidden)
}

/** The items of rows that nothing else needs, in their order. */
export function listedItemsOf(rows: Row[], width?: number): readonly StoredItem[] {
  const items = rows as unknown[]
  for (const [index, row] of rows.entries()) items[index] = listedItemOf(row, width)
  return ownItems(items as StoredItem[])
}

/** Numbers come as they are; text and booleans as JSON, which gives back each of them exactly. */
export function scalarOf(key: unknown): Scalar {
  return typeof key === 'string' ? (JSON.parse(key) as Scalar) : (key as number | null)
}
