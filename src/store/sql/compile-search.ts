import type { SearchCondition, SearchedField } from '../../query/query-plan.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { compileSearchedText } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import { allOfSql, anyOfSql, existsSql } from './logic.ts'
import { mayFitSearch } from './search-candidates.ts'
import type { Table } from './table.ts'

/**
 * A search as an EXISTS over the words of its fields, which are read once for each row that indexes
 * find.
 */
export function compileSearch(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: SearchCondition,
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
  const fits = existsSql(dialect.words(texts, words), allOfSql(holds))
  const { indexedSearch } = compilation
  if (indexedSearch?.search === condition) return anyOfSql([indexedSearch.fits, fits])
  return allOfSql([mayFitSearch(compilation, table, alias, condition), fits])
}

/** How well a row fits a search (`RelevanceSortKey`). */
export function compileRelevance(
  compilation: Compilation,
  table: Table,
  alias: string,
  search: SearchCondition,
): string {
  const { dialect } = compilation
  const words = compilation.nextAlias()
  const firstIndex = valueIndexOf(compilation, search)
  const byWeight = [...search.fields.entries()].sort(
    ([, one], [, other]) => other.weight - one.weight,
  )
  const weights = search.terms.flatMap(({ isExcluded }, index) => {
    if (isExcluded) return []
    const needle = valueMark(firstIndex + index)
    const cases = byWeight.map(
      ([column, { weight }]) =>
        `when ${dialect.text('contains', `${words}.w${column}`, [needle])} then ${weight}`,
    )
    return [`case ${cases.join(' ')} else 0 end`]
  })
  const texts = search.fields.map((field) => searchedText(compilation, table, alias, field))
  return `(select ${weights.join(' + ') || '0'} from ${dialect.words(texts, words)})`
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
