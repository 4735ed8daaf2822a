import type { Condition, SearchedField } from '../../query/query-plan.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { compileSearchedText } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import { allOfSql, anyOfSql, existsSql } from './logic.ts'
import type { Table } from './table.ts'

type Search = Extract<Condition, { kind: 'search' }>

/** A search as an EXISTS over the words of its fields, which are read once for each row. */
export function compileSearch(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: Search,
): string {
  const { dialect } = compilation
  const words = compilation.nextAlias()
  const firstIndex = valueIndexOf(compilation, condition)
  const holds = condition.terms.map(({ isExcluded }, index) => {
    const needle = valueMark(firstIndex + index)
    const occurs = anyOfSql(
      condition.fields.map((_, column) =>
        dialect.text('contains', `${words}.w${column}`, [needle]),
      ),
    )
    return isExcluded ? `not (${occurs})` : occurs
  })
  const texts = condition.fields.map((field) => searchedText(compilation, table, alias, field))
  return existsSql(dialect.words(texts, words), allOfSql(holds))
}

function searchedText(
  compilation: Compilation,
  table: Table,
  alias: string,
  { path }: SearchedField,
): string {
  const { sql, type } = compileSearchedText(compilation, table, alias, path)
  return type.kind === 'text' ? sql : 'null'
}
