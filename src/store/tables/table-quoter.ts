import type { TableName } from '../../model/storage.ts'

/** Quotes the name of a table, with that of its schema. */
export function tableQuoter(quote: (identifier: string) => string): (table: TableName) => string {
  return ({ schema, name }) =>
    [...(schema === undefined ? [] : [schema]), name].map(quote).join('.')
}

/** The name that a quoted name has: double quotes, as SQL has them. */
export function tableNameOf(quoted: string): TableName {
  const parts = [...quoted.matchAll(/"((?:[^"]|"")*)"/g)].map(([, part]) =>
    part!.replaceAll('""', '"'),
  )
  return { schema: parts.length > 1 ? parts[0] : undefined, name: parts.at(-1)! }
}
