import { areSameColumns, type KeySchema } from '../../store/read-database.ts'
import type { ModelDraft } from './model-draft.ts'
import { isScalarSchema } from './pull-columns.ts'

/** The fields of unique keys over several columns or a relation, each set once. */
export function uniqueSets(draft: ModelDraft): readonly (readonly string[])[] {
  const { uniqueKeys } = draft.item.table
  return uniqueKeys
    .filter(
      ({ columns }, index) =>
        uniqueKeys.findIndex((key) => areSameColumns(key.columns, columns)) === index,
    )
    .flatMap((key) => {
      const names = uniqueSetOf(draft, key)
      return names ? [names] : []
    })
}

/**
 * The fields of a unique key over several columns, or over that of a relation. Undefined if it is
 * the key of the table, if a column has no field with an order, or if the database checks it at the
 * end of a transaction.
 */
export function uniqueSetOf(
  { item, fields, members }: ModelDraft,
  { columns, isDeferrable }: KeySchema,
): readonly string[] | undefined {
  if (isDeferrable || areSameColumns(columns, item.key)) return undefined
  const found = columns.flatMap(
    (column) => members.find(({ name }) => name === fields.get(column)) ?? [],
  )
  const isComparable = found.every(({ uses, text }) => uses === 'toOne' || isScalarSchema(text))
  // A field with a value says so itself.
  const isSet = found.length > 1 || found[0]?.uses === 'toOne'
  return found.length === columns.length && isComparable && isSet
    ? found.map(({ name }) => name)
    : undefined
}
