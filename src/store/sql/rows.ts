import type { ModelDescription } from '../../model/model-description.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import { LazyItem } from '../../stored-item/lazy-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

export type Row = readonly unknown[]

/**
 * The columns of a document that are read. Every column costs time: the id and the hash are taken
 * from the text, and the hidden members (with blob keys) are read only where the model has any.
 */
export function documentColumns(model: ModelDescription): readonly string[] {
  return model.resourcePaths.length === 0 && model.valueFields.every(isShown)
    ? textColumns
    : allColumns
}

const textColumns: readonly string[] = ['"text"', '"split"', '"revision"']
const allColumns: readonly string[] = [...textColumns, '"hidden"']

/** The item of a row that begins with the columns of a document, without hidden members. */
export function shownDocumentOf(row: Row): StoredItem {
  return new LazyItem(row[0] as string, row[1] as number, row[2] as number, null)
}

/** The same with hidden members. */
export function documentOf(row: Row): StoredItem {
  return new LazyItem(row[0] as string, row[1] as number, row[2] as number, row[3] as string | null)
}

/** The same item with all of its members as values: one that is read alone needs most of them. */
export function eagerItem(item: StoredItem): StoredItem {
  const { text, relationsOffset, revision, hiddenText } = item
  return { id: item.id, text, relationsOffset, hiddenText, hash: item.hash, revision }
}

/** Numbers come as they are; text and booleans as JSON, which is exact (`compileLossless`). */
export function scalarOfColumn(value: unknown): Scalar {
  return typeof value === 'string' ? (JSON.parse(value) as Scalar) : (value as number | null)
}
