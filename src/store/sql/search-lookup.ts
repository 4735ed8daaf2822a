import type { SearchCondition } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import type { ReadStrategy } from './read-strategy.ts'
import {
  candidateRowsSql,
  indexedNeedles,
  type SearchedTable,
  searchedTables,
} from './search-candidates.ts'
import type { SearchQueries } from './search-index.ts'
import type { Table } from './table.ts'

/** Up to so many rows are counted of each term, to find the one that the fewest rows have. */
const maxCountedRows = 2_000

/**
 * The beginning of a word with fewer letters occurs in so many rows that no index is asked how
 * many.
 */
const minBeginning = 3

/** A name that no table has. */
const rarestNeedle = '"resourcery rarest needle"'

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
  return lookup(compilation, table, search, maxCountedRows, ({ ids }) => ids)
}

/** How many rows indexes find for a search, up to so many. */
export function searchProbeSql(
  compilation: Compilation,
  table: Table,
  search: SearchCondition,
  maxRows: number,
): string {
  const candidates = candidateRowsSql(compilation, table, search, '1')
  if (candidates) return `select count(*) from (${candidates.sql} limit ${maxRows}) r`
  return lookup(
    compilation,
    table,
    search,
    Math.min(maxRows, maxCountedRows),
    (rarest) => `select ${countSql(rarest, maxRows)}`,
  )
}

/** A query for the ids of the rows in which a term occurs. */
interface SearchedTerm {
  readonly needle: string
  readonly ids: string
}

/** The query over the rarest term, which the engine chooses once. */
function lookup(
  compilation: Compilation,
  table: Table,
  search: SearchCondition,
  maxRows: number,
  queryOf: (rarest: SearchedTerm) => string,
): string {
  const tables = searchedTables(compilation.tableOf, table, search, 'queries')!
  const searched = (needle: string): SearchedTerm => ({
    needle,
    ids: tables.map((part) => idsSql(compilation, table, part, needle)).join(' union all '),
  })
  const needles = indexedNeedles(compilation, search, tables.length)
  if (needles.length === 1) return queryOf(searched(needles[0]!))
  // One query counts the rows of each term, so that the statement does not grow with their number.
  const counted = compilation.nextAlias()
  const count = countSql(searched(`${counted}.needle`), maxRows)
  const values = needles.map((needle) => `(${needle})`).join(', ')
  const rarest = `select needle from (select column1 as needle from (values ${values})) ${counted} order by ${count} limit 1`
  return `with ${rarestNeedle}(needle) as materialized (${rarest}) ${queryOf(searched(`(select needle from ${rarestNeedle})`))}`
}

/** How many rows have a term, up to so many. */
function countSql({ needle, ids }: SearchedTerm, maxRows: number): string {
  // A needle begins with a space, and ends with one where it ends with a whole word.
  const isShort = `substr(${needle}, -1) <> ' ' and length(${needle}) <= ${minBeginning}`
  return `iif(${isShort}, ${maxRows}, (select count(*) from (select 1 from (${ids}) limit ${maxRows})))`
}

/** The ids of the rows whose relations lead to those that an index finds. */
function idsSql(
  compilation: Compilation,
  table: Table,
  { index, paths, relations }: SearchedTable<'queries'>,
  needle: string,
): string {
  const [relation, ...others] = relations
  if (!relation) return (index as SearchQueries).ids(paths, needle)
  const target = compilation.tableOf(relation.relatedModel)
  const rest = { table: target, index, paths, relations: others }
  const [from, to] = [compilation.nextAlias(), compilation.nextAlias()]
  const column = `${to}.${table.columns.get(relation.name)!.sql}`
  const found = idsSql(compilation, target, rest, needle)
  return `select ${table.id(to)} as id from (${found}) ${from} cross join ${table.sql} ${to} on ${column} = ${from}.id`
}
