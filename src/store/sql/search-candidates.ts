import type { ToOneField } from '../../model/model-description.ts'
import type { SearchCondition } from '../../query/query-plan.ts'
import { resolveScalarPath } from '../resolve-path.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { valueMark } from './compiled-statement.ts'
import { allOfSql, anyOfSql, trueSql } from './logic.ts'
import type { SearchIndex } from './search-index.ts'
import type { Table, TableOf } from './table.ts'

/** The texts of a search that are in the items of one model, which relations lead to. */
export interface SearchedTable<K extends SearchIndex['kind']> {
  readonly table: Table
  readonly index: Extract<SearchIndex, { kind: K }>
  readonly relations: readonly ToOneField[]
  /** The paths in the items of the table. */
  readonly paths: readonly string[]
}

/**
 * The tables whose indexes have all texts of a search; undefined where one of them has none of
 * this kind. Guards of the paths are left to the condition.
 */
export function searchedTables<K extends SearchIndex['kind']>(
  tableOf: TableOf,
  table: Table,
  { fields, terms }: SearchCondition,
  kind: K,
): readonly SearchedTable<K>[] | undefined {
  if (terms.every(({ isExcluded }) => isExcluded)) return undefined
  const found = new Map<string, SearchedTable<K> & { readonly paths: string[] }>()
  for (const { path } of fields) {
    const { hops, model } = resolveScalarPath(table.model, path)
    const relations = hops.map(({ field }) => field)
    const searched = hops.length === 0 ? table : tableOf(model)
    const index = searched.searchIndex
    const rest = path.names.slice(hops.length).join('.')
    if (index?.kind !== kind || !index.paths.has(rest)) return undefined
    const key = path.names.slice(0, hops.length).join('.')
    const entry = found.get(key)
    if (entry) entry.paths.push(rest)
    else
      found.set(key, {
        table: searched,
        index: index as SearchedTable<K>['index'],
        relations,
        paths: [rest],
      })
  }
  return [...found.values()]
}

/** Are these texts of related items? */
export function hasRelatedTexts({ relations }: SearchedTable<'conditions'>): boolean {
  return relations.length > 0
}

/** Does the search look for the beginning of a word? */
export function hasBeginning({ terms }: SearchCondition): boolean {
  return terms.some(({ isExcluded, ending }) => !isExcluded && ending === 'beginning')
}

/** So many queries of indexes a statement has for a search. */
const maxQueries = 32

/**
 * The parameters with the terms of a search that indexes are asked for: its first
 * ones, of which the longest stand first. The condition decides about the others.
 * @param queriesPerTerm how many queries of indexes find the rows with one term
 */
export function indexedNeedles(
  compilation: Compilation,
  search: SearchCondition,
  queriesPerTerm: number,
): readonly string[] {
  const firstIndex = valueIndexOf(compilation, search)
  return search.terms
    .flatMap(({ isExcluded }, position) => (isExcluded ? [] : [valueMark(firstIndex + position)]))
    .slice(0, maxIndexedTerms(queriesPerTerm))
}

/** For how many terms of a search indexes are asked. */
export function maxIndexedTerms(queriesPerTerm: number): number {
  return Math.max(1, Math.floor(maxQueries / queriesPerTerm))
}

/**
 * A condition that indexes serve, and that holds for each row that fits a search; true without
 * such indexes, and where the rows of the statement are found already.
 */
export function mayFitSearch(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: SearchCondition,
): string {
  if (!compilation.asksWordIndexes) return trueSql
  const tables = searchedTables(compilation.tableOf, table, condition, 'conditions')
  return tables ? mayOccurInTables(compilation, table, alias, condition, tables) : trueSql
}

function mayOccurInTables(
  compilation: Compilation,
  table: Table,
  alias: string,
  condition: SearchCondition,
  tables: readonly SearchedTable<'conditions'>[],
): string {
  const textCount = tables.reduce((count, { paths }) => count + paths.length, 0)
  return allOfSql(
    indexedNeedles(compilation, condition, textCount).map((needle) =>
      anyOfSql(tables.map((searched) => mayOccur(compilation, table, alias, searched, needle))),
    ),
  )
}

/**
 * A query for the rows that indexes find for a search, under the alias `f`, and what keeps an
 * engine from merging it with the statement around it; undefined where indexes serve no conditions.
 * @param texts 'relatedTexts' leaves out the rows that are found by their own texts only
 */
export function candidateRowsSql(
  compilation: Compilation,
  table: Table,
  search: SearchCondition,
  columns: string,
  texts: 'allTexts' | 'relatedTexts' = 'allTexts',
): { readonly sql: string; readonly fence: string } | undefined {
  const all = searchedTables(compilation.tableOf, table, search, 'conditions') ?? []
  const tables = texts === 'allTexts' ? all : all.filter(hasRelatedTexts)
  const [searched] = tables
  if (!searched) return undefined
  const isCandidate = allOfSql([
    mayOccurInTables(compilation, table, 'f', search, tables),
    searched.index.forbidsParallelism,
  ])
  return {
    sql: `select ${columns} from ${table.sql} f where ${isCandidate}`,
    fence: searched.index.fence,
  }
}

function mayOccur(
  compilation: Compilation,
  table: Table,
  alias: string,
  searched: SearchedTable<'conditions'>,
  needle: string,
): string {
  const [relation, ...relations] = searched.relations
  if (!relation) return searched.index.mayOccur(alias, searched.paths, needle)
  const target = compilation.tableOf(relation.relatedModel)
  const name = compilation.nextAlias()
  const occurs = mayOccur(compilation, target, name, { ...searched, relations }, needle)
  const column = `${alias}.${table.columns.get(relation.name)!.sql}`
  // Engines use an index of the relation beside others only for values that they have by then.
  return `${column} = any (array(select ${target.id(name)} from ${target.sql} ${name} where ${occurs}))`
}
