import type { TableName } from '../../model/storage.ts'

/** Quotes the name of a table, with that of its schema. */
export function tableQuoter(quote: (identifier: string) => string): (table: TableName) => string {
  return ({ schema, name }) =>
    [...(schema === undefined ? [] : [schema]), name].map(quote).join('.')
}
