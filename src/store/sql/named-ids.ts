import type { Dialect } from './dialect.ts'
import { rowSql } from './row-value.ts'
import type { Table } from './table.ts'

/** The columns of the id with names, unless they have these already. */
export function namedIds(dialect: Dialect, table: Table, alias: string): readonly string[] {
  return table.idParts(alias).map((part, index) => {
    const name = idName(dialect, index)
    return part === `${alias}.${name}` ? part : `${part} as ${name}`
  })
}

/** The id in a row that has these names. */
export function namedIdIn(dialect: Dialect, table: Table, alias: string): string {
  return rowSql(table.idParts(alias).map((_, index) => `${alias}.${idName(dialect, index)}`))
}

function idName({ quote }: Dialect, index: number): string {
  return quote(index === 0 ? 'id' : `id ${index}`)
}
