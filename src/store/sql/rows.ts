import type { ModelDescription } from '../../model/model-description.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { LazyItem } from '../../stored-item/lazy-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { ownItems } from '../owned-items.ts'

/**
 * The columns of an item that are read. Every column costs time: the id and the hash are taken from
 * the text, and the hidden members (with blob keys) are read only where the model has any.
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
 * An item of a list. Lists use little but the text, so the other members are computed on access.
 *
 * @param width the number of item columns, where others follow
 */
export function lazyItemOfRow(row: Row, width: number = row.length): StoredItem {
  const hidden = width > textColumns.length ? (row[textColumns.length] as string | null) : null
  return new LazyItem(row[0] as string, row[1] as number, row[2] as number, hidden)
}

/** The items of the rows, in order. Reuses the array of rows. */
export function listedItemsOf(rows: Row[], width?: number): readonly StoredItem[] {
  const items = rows as unknown[]
  for (const [index, row] of rows.entries()) items[index] = lazyItemOfRow(row, width)
  return ownItems(items as StoredItem[])
}

/** Numbers come as they are; text and booleans as JSON, which is exact (`compileLossless`). */
export function scalarOfColumn(value: unknown): Scalar {
  return typeof value === 'string' ? (JSON.parse(value) as Scalar) : (value as number | null)
}
