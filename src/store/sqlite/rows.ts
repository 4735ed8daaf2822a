import type { ModelDescription } from '../../model/model-description.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { LazyItem } from '../../stored-item/lazy-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { ownItems } from '../owned-items.ts'

/**
 * What is read of an item, in the order of `itemOf`. Every column costs: the id and the hash are
 * read off the text, and hidden members (and the keys of blobs with them) are not asked for where
 * the model has none.
 */
export function itemColumns(model: ModelDescription): readonly string[] {
  return model.resourcePaths.length === 0 && model.valueFields.every(isShown)
    ? textColumns
    : allColumns
}

const textColumns: readonly string[] = ['"text"', '"split"', '"revision"']
const allColumns: readonly string[] = [...textColumns, '"hidden"']

export type Row = readonly unknown[]

export function itemOfRow(row: Row): StoredItem {
  const item = lazyItemOfRow(row)
  const { text, relationsOffset, revision, hiddenText } = item
  return { id: item.id, text, relationsOffset, hiddenText, hash: item.hash, revision }
}

/**
 * The same for one item of many: lists send texts and ask for little else, so the rest is worked
 * out only when it is asked for.
 *
 * @param width how many columns of the row are the item's, where others follow
 */
export function lazyItemOfRow(row: Row, width: number = row.length): StoredItem {
  const hidden = width > textColumns.length ? (row[textColumns.length] as string | null) : null
  return new LazyItem(row[0] as string, row[1] as number, row[2] as number, hidden)
}

/** The items of rows that nothing else needs, in their order. */
export function listedItemsOf(rows: Row[], width?: number): readonly StoredItem[] {
  const items = rows as unknown[]
  for (const [index, row] of rows.entries()) items[index] = lazyItemOfRow(row, width)
  return ownItems(items as StoredItem[])
}

/** Numbers come as they are; text and booleans as JSON, which gives back each of them exactly. */
export function scalarOfColumn(key: unknown): Scalar {
  return typeof key === 'string' ? (JSON.parse(key) as Scalar) : (key as number | null)
}
