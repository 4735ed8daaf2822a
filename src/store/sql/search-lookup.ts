import type { SearchCondition } from '../../query/query-plan.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { valueMark } from './compiled-statement.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { type SearchedTable, searchedTables } from './search-candidates.ts'
import type { SearchQueries } from './search-index.ts'
import type { Table } from './table.ts'

/** Up to so many rows are counted of each term, to find the one that the fewest rows have. */
const maxCountedRows = 2_000

/**
 * The beginning of a word with fewer letters occurs in so many rows that no index is asked how
 * many.
 */
const minBeginning = 3

/** The search that a strategy looks up, however many rows have its words. */
export function searchToLookUp({ lookup, looksUpMany }: ReadStrategy): SearchCondition | undefined {
  return looksUpMany && lookup?.kind === 'search' ? lookup : undefined
}

/**
 * A query for the ids of the rows in which the rarest term of a search occurs, among which are all
 * that fit it. It may have an id several times.
 */
export function searchLookupSql(
  compilation: Compilation,
  table: Table,
  search: SearchCondition,
): string {
  const terms = searchedTerms(compilation, table, search)
  const [first, ...others] = terms
  if (others.length === 0) return first!.ids()
  const counts = terms.map(({ count }) => count(maxCountedRows))
  // The conditions have no columns, so the engine computes each once.
  const queries = terms.map(({ ids }, index) => {
    const isRarest = counts
      .flatMap((count, other) =>
        other === index ? [] : [`${counts[index]} ${index < other ? '<=' : '<'} ${count}`],
      )
      .join(' and ')
    return ids(isRarest)
  })
  return queries.join(' union all ')
}

/** How many rows the rarest term finds, up to so many. */
export function searchProbeSql(
  compilation: Compilation,
  table: Table,
  search: SearchCondition,
  maxRows: number,
): string {
  const counts = searchedTerms(compilation, table, search).map(({ count }) => count(maxRows))
  return `select ${counts.length === 1 ? counts[0] : `min(${counts.join(', ')})`}`
}

interface SearchedTerm {
  /** A query for the ids of rows in which the term occurs; none where the condition is false. */
  ids(condition?: string): string
  /** Their number, up to this one. */
  count(maxRows: number): string
}

function searchedTerms(
  compilation: Compilation,
  table: Table,
  search: SearchCondition,
): readonly SearchedTerm[] {
  const tables = searchedTables(compilation.tableOf, table, search, 'queries')!
  const firstIndex = valueIndexOf(compilation, search)
  return search.terms.flatMap(({ isExcluded }, position): readonly SearchedTerm[] => {
    if (isExcluded) return []
    const needle = valueMark(firstIndex + position)
    const ids = (condition?: string) =>
      tables
        .map((searched) => idsSql(compilation, table, searched, needle, condition))
        .join(' union all ')
    // A needle begins with a space, and ends with one where it ends with a whole word.
    const isShort = `substr(${needle}, -1) <> ' ' and length(${needle}) <= ${minBeginning}`
    const count = (maxRows: number) =>
      `iif(${isShort}, ${maxRows}, (select count(*) from (select 1 from (${ids()}) limit ${maxRows})))`
    return [{ ids, count }]
  })
}

/** The ids of the rows whose relations lead to those that an index finds. */
function idsSql(
  compilation: Compilation,
  table: Table,
  { index, paths, relations }: SearchedTable<'queries'>,
  needle: string,
  condition: string | undefined,
): string {
  const [relation, ...others] = relations
  if (!relation) return (index as SearchQueries).ids(paths, needle, condition)
  const target = compilation.tableOf(relation.relatedModel)
  const rest = { table: target, index, paths, relations: others }
  const [from, to] = [compilation.nextAlias(), compilation.nextAlias()]
  const column = `${to}.${table.columns.get(relation.name)!.sql}`
  const found = idsSql(compilation, target, rest, needle, condition)
  return `select ${table.id(to)} as id from (${found}) ${from} cross join ${table.sql} ${to} on ${column} = ${from}.id`
}
