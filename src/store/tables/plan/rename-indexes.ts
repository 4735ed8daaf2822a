import type { TableName } from '../../../model/storage.ts'
import type { Engine } from '../engine.ts'
import { keysOf, type TableSchema } from '../schema/database-schema.ts'
import { shortName } from '../short-name.ts'

/**
 * Gives the indexes of a renamed table the names that a new one would have: a new table may take
 * the former name, with indexes of its own. Where an index cannot be renamed, it is dropped, and
 * the plan creates it again.
 *
 * @param table as it was before
 * @returns the statements, and the table with the indexes that it has then
 */
export function renameIndexes(
  { constraints, dialect, quoteTable, maxNameBytes }: Engine,
  table: TableSchema,
  from: TableName,
  to: TableName,
): { readonly sql: readonly string[]; readonly table: TableSchema } {
  const prefix = `${from.name}_`
  const isNamedAfter = ({ name }: { readonly name: string }) => name.startsWith(prefix)
  const { primaryKey, uniqueKeys, indexes } = table
  const quoteIndex = (name: string) => quoteTable({ schema: to.schema, name })
  if (constraints === 'inTable')
    return {
      sql: [...uniqueKeys, ...indexes]
        .filter(isNamedAfter)
        .map(({ name }) => `drop index ${quoteIndex(name)}`),
      table: {
        ...table,
        uniqueKeys: uniqueKeys.filter((key) => !isNamedAfter(key)),
        indexes: indexes.filter((index) => !isNamedAfter(index)),
      },
    }
  const renameIndex = <I extends { readonly name: string }>(index: I): I => {
    if (!isNamedAfter(index)) return index
    const name = `${to.name}_${index.name.slice(prefix.length)}`
    return { ...index, name: shortName(name, maxNameBytes) }
  }
  return {
    sql: [...keysOf(table), ...indexes]
      .filter(isNamedAfter)
      .map(
        (index) =>
          `alter index ${quoteIndex(index.name)} rename to ${dialect.quote(renameIndex(index).name)}`,
      ),
    table: {
      ...table,
      primaryKey: primaryKey && renameIndex(primaryKey),
      uniqueKeys: uniqueKeys.map(renameIndex),
      indexes: indexes.map(renameIndex),
    },
  }
}
