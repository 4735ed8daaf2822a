import type { SearchCondition } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import type { ReadStrategy } from './read-strategy.ts'
import {
  candidateRowsSql,
  indexedNeedles,
  maxIndexedTerms,
  type SearchedTable,
  searchedTables,
} from './search-candidates.ts'
import type { SearchQueries, TermQuantity } from './search-index.ts'
import type { Table, TableOf } from './table.ts'

/** Up to so many rows are counted of each term, to find the one that the fewest rows have. */
const maxCountedRows = 2_000

/**
 * The beginning of a word with fewer letters occurs in so many rows that no index is asked how
 * many.
 */
const minBeginning = 3

/** Names that no table has. */
const allNeedles = '"resourcery needles"'
const askedNeedles = '"resourcery asked needles"'
const rarestNeedle = '"resourcery rarest needle"'

/** The search that a strategy looks up, however many rows have its words. */
export function searchToLookUp({ lookup, looksUpMany }: ReadStrategy): SearchCondition | undefined {
  return looksUpMany && lookup?.kind === 'search' ? lookup : undefined
}

/**
 * A query for the ids of the rows that may fit a search. Each has one row, with `fits` where
 * indexes may say that it fits (`saysWhatFits`).
 */
export function searchedIdsSql(
  compilation: Compilation,
  table: Table,
  search: SearchCondition,
): string {
  const ids = idsSql(compilation, table, search)
  return saysWhatFits(compilation.tableOf, table, search)
    ? `select g.id, max(g.fits) as fits from (${ids}) g group by g.id`
    : `select distinct g.id from (${ids}) g`
}

/**
 * May indexes say of a row that it fits a search? A condition has to decide about excluded words
 * and guards of paths.
 */
export function saysWhatFits(tableOf: TableOf, table: Table, search: SearchCondition): boolean {
  const { fields, terms } = search
  const tables = searchedTables(tableOf, table, search, 'queries')
  if (!tables || terms.some(({ isExcluded }) => isExcluded)) return false
  if (fields.some(({ path }) => path.guards?.length)) return false
  return terms.length <= maxIndexedTerms(tables.length)
}

/** Do indexes decide about all rows? Otherwise several terms may occur in several tables. */
export function isDecidedByIndexes(
  tableOf: TableOf,
  table: Table,
  search: SearchCondition,
): boolean {
  if (!saysWhatFits(tableOf, table, search)) return false
  return (
    search.terms.length === 1 || searchedTables(tableOf, table, search, 'queries')!.length === 1
  )
}

/** How many rows indexes find for a search, up to so many: of its rarest term. */
export function searchProbeSql(
  compilation: Compilation,
  table: Table,
  search: SearchCondition,
  maxRows: number,
): string {
  const candidates = candidateRowsSql(compilation, table, search, '1')
  if (candidates) return `select count(*) from (${candidates.sql} limit ${maxRows}) r`
  const { tables, needles } = askedTables(compilation, table, search)
  if (needles.length === 1)
    return `select ${countSql(compilation, table, tables, soleNeedle(needles), maxRows)}`
  // What begins with `with` may be a write, for those who look.
  return `select (with ${rarestSql(compilation, table, tables, needles, maxRows)} select count from ${rarestNeedle})`
}

function askedTables(compilation: Compilation, table: Table, search: SearchCondition) {
  const tables = searchedTables(compilation.tableOf, table, search, 'queries')!
  return { tables, needles: indexedNeedles(compilation, search, tables.length) }
}

type Tables = readonly SearchedTable<'queries'>[]

const soleNeedle = ([needle]: readonly string[]) => `select ${needle} as needle`

/**
 * The ids with the only term; otherwise those with the rarest one. Where many rows have each of
 * them, those that have all terms in the texts of one table, or any of them in another table.
 */
function idsSql(compilation: Compilation, table: Table, search: SearchCondition): string {
  const { tables, needles } = askedTables(compilation, table, search)
  const rows = (of: Tables, named: string, quantity: TermQuantity) =>
    of.map((part) => rowsSql(compilation, table, part, named, 'ids', quantity)).join(' union all ')
  if (needles.length === 1) return rows(tables, soleNeedle(needles), 'all')
  const [first, ...others] = tables
  const areAllAsked = `(select not max(is_short) from ${allNeedles})`
  const inFirst = (asked: string) =>
    `select id, fits and ${areAllAsked} as fits from (${rows([first!], asked, 'all')})`
  // The index passes over the rows that lack the rarest term.
  if (others.length === 0)
    return `with ${askedSql(needles)} ${inFirst(`select needle from ${askedNeedles}`)}`
  const isRare = `(select count < ${maxCountedRows} from ${rarestNeedle})`
  const rarest = `select needle from ${rarestNeedle} where ${isRare}`
  const asked = `select needle from ${askedNeedles} where not ${isRare}`
  const parts = [
    `select id, 0 as fits from (${rows(tables, rarest, 'all')})`,
    inFirst(asked),
    ...others.map((part) => `select id, 0 from (${rows([part], asked, 'any')})`),
  ]
  return `with ${rarestSql(compilation, table, tables, needles, maxCountedRows)} ${parts.join(' union all ')}`
}

/**
 * Names the terms, and those of which indexes are asked. The statement has each term once, so that
 * it hardly grows with their number.
 */
function askedSql(needles: readonly string[]): string {
  const values = needles.map((needle) => `(${needle})`).join(', ')
  return [
    `${allNeedles}(needle, is_short) as materialized (select column1, ${isShortSql('column1')} from (values ${values}))`,
    `${askedNeedles}(needle) as materialized (select needle from ${allNeedles} where not is_short or (select min(is_short) from ${allNeedles}))`,
  ].join(', ')
}

/** The same, and the rarest of them with the number of its rows, up to so many. */
function rarestSql(
  compilation: Compilation,
  table: Table,
  tables: Tables,
  needles: readonly string[],
  maxRows: number,
): string {
  const counted = compilation.nextAlias()
  const needle = `select ${counted}.needle as needle`
  const count = countSql(compilation, table, tables, needle, maxRows)
  return `${askedSql(needles)}, ${rarestNeedle}(needle, count) as materialized (select needle, ${count} from ${askedNeedles} ${counted} order by 2 limit 1)`
}

/** How many rows a term has, up to so many. */
function countSql(
  compilation: Compilation,
  table: Table,
  tables: Tables,
  needle: string,
  maxRows: number,
): string {
  const rows = tables.map((part) => rowsSql(compilation, table, part, needle, 'numbers', 'all'))
  const isShort = `(select ${isShortSql('needle')} from (${needle}))`
  return `iif(${isShort}, ${maxRows}, (select count(*) from (select 1 from (${rows.join(' union all ')}) limit ${maxRows})))`
}

/** A needle begins with a space, and ends with one where it ends with a whole word. */
function isShortSql(needle: string): string {
  return `substr(${needle}, -1) <> ' ' and length(${needle}) <= ${minBeginning}`
}

/** The rows whose relations lead to those that an index finds. */
function rowsSql(
  compilation: Compilation,
  table: Table,
  { index, paths, relations }: SearchedTable<'queries'>,
  needles: string,
  content: 'ids' | 'numbers',
  quantity: TermQuantity,
): string {
  const [relation, ...others] = relations
  if (!relation) return (index as SearchQueries)[content](paths, needles, quantity)
  const target = compilation.tableOf(relation.relatedModel)
  const rest = { table: target, index, paths, relations: others }
  const [from, to] = [compilation.nextAlias(), compilation.nextAlias()]
  const column = `${to}.${table.columns.get(relation.name)!.sql}`
  const found = rowsSql(compilation, target, rest, needles, 'ids', quantity)
  const columns = content === 'ids' ? `${table.id(to)} as id, ${from}.fits` : '1'
  return `select ${columns} from (${found}) ${from} cross join ${table.sql} ${to} on ${column} = ${from}.id`
}
