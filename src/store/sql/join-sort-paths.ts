import type { FieldPath, QueryPlan, SortKey } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import { type Hop, resolveScalarPath } from '../resolve-path.ts'
import type { Compilation } from './compilation.ts'
import { pathAfterHops } from './compile-path.ts'
import { compileSortKey, compileSortPosition } from './compile-sort-key.ts'
import type { JoinedTable } from './dialect.ts'
import type { OrderKey } from './keyset.ts'
import { lacksRelatedSql } from './lacks-related.ts'
import { allOfSql, anyOfSql, notSql } from './logic.ts'
import { orderKeys } from './page-range-sql.ts'
import { hasIndexOrder, type Table, type TableOf } from './table.ts'

/** The rows of a list, joined with the items by whose fields it is sorted. */
export interface SortSource {
  readonly from: string
  /** Does it have all rows? A condition on none of them. */
  readonly isComplete: string
  /** The terms of ORDER BY, the id last. */
  readonly keys: readonly OrderKey[]
  /** The values of the sort keys (`compileLossless`). */
  positions(): readonly string[]
}

/** The row that has the value at the end of a path, and the path from there. */
export interface EndRow {
  readonly table: Table
  readonly alias: string
  readonly path: FieldPath
  readonly isJoined: boolean
  /** Has every row of the list such a row? */
  readonly isCertain: boolean
}

/** The row that has the value of a sort key, and the key from there. */
interface SortEnd extends Omit<EndRow, 'path'> {
  readonly key: SortKey
}

/** Joins the items to which a path leads. */
export function joinPath(
  compilation: Compilation,
  joined: JoinedHop[],
  table: Table,
  alias: string,
  path: FieldPath,
  isCertain: IsCertain = isCertainRelation,
): EndRow {
  const { guard, hops } = resolveScalarPath(table.model, path)
  const own: EndRow = { table, alias, path, isJoined: false, isCertain: true }
  if (hops.length === 0) return own
  return hops.reduce<EndRow>(
    // A guard of the list's own row hides what the path leads to.
    (row, hop, index) =>
      joinHop(compilation, joined, row, hop, isCertain, index === 0 ? [guard] : []),
    { ...own, path: pathAfterHops(path, hops.length) },
  )
}

/**
 * Joins the items by whose fields a list is sorted, so that the engine reads them in their order,
 * or all of them at once, and does not look up one for each row.
 *
 * @param from the rows of the list, with the alias
 * @param source which rows `from` has: few of a lookup, or those that a related scan looks up
 */
export function joinSortPaths(
  compilation: Compilation,
  table: Table,
  alias: string,
  plan: QueryPlan,
  from: string,
  source: 'any' | 'lookup' | 'relatedScan',
): SortSource {
  const { dialect } = compilation
  const joined: JoinedHop[] = []
  const isCertain = source === 'relatedScan' ? isRequiredOrCertain : isCertainRelation
  const canJoin = (key: SortKey): boolean =>
    dialect.joinsAnyOrder ||
    (source !== 'lookup' && canLead(compilation.tableOf, table, plan, key, isCertain))
  const ends = plan.sort.map((key): SortEnd => {
    const own = { table, alias, isJoined: false, isCertain: true } as const
    if (isRelevance(key)) return { ...own, key }
    if (!canJoin(key)) return { ...own, key }
    const { path, ...row } = joinPath(compilation, joined, table, alias, key.path, isCertain)
    return { ...row, key: { ...key, path } }
  })
  const scalarOf = (_: SortKey, index: number) => {
    const row = ends[index]!
    const scalar = compileSortKey(compilation, row.table, row.alias, row.key)
    if (!row.isJoined) return scalar
    return { ...scalar, column: undefined, isNullable: scalar.isNullable || !row.isCertain }
  }
  const keys = orderKeys(compilation, table, alias, plan, scalarOf)
  const lacking = joined.flatMap(({ lacksRelated }) => lacksRelated ?? [])
  return {
    from: joined.length === 0 ? from : dialect.joinRelated(from, joined),
    isComplete: notSql(anyOfSql(lacking)),
    keys: keys.map((key, index) =>
      ends[index]?.isJoined ? { ...key, isOfOtherTable: true } : key,
    ),
    positions: () =>
      ends.map((row) => compileSortPosition(compilation, row.table, row.alias, row.key)),
  }
}

/** A joined table, and whether a row of the list leads to none of its rows, as SQL. */
export interface JoinedHop extends JoinedTable {
  readonly lacksRelated: string | undefined
}

/** Does a relation lead from every row of the table to an item? */
type IsCertain = (table: Table, relation: string) => boolean

const isCertainRelation: IsCertain = ({ certainRelations }, relation) =>
  certainRelations.has(relation)

const isRequiredOrCertain: IsCertain = (table, relation) =>
  isCertainRelation(table, relation) || table.requiredRelations.has(relation)

function joinHop(
  compilation: Compilation,
  joined: JoinedHop[],
  row: EndRow,
  { field, guard }: Hop,
  isCertainHop: IsCertain,
  ownGuards: readonly Hop['guard'][],
): EndRow {
  const target = compilation.tableOf(field.relatedModel)
  const alias = compilation.nextAlias()
  const isUnguarded = [guard, ...ownGuards].every(({ kind }) => kind === 'always')
  const isCertain = row.isCertain && isUnguarded && isCertainHop(row.table, field.name)
  const isChecked = isCertain && !isCertainRelation(row.table, field.name)
  const on = allOfSql([
    `${target.id(alias)} = ${row.alias}.${row.table.columns.get(field.name)!.sql}`,
    ...ownGuards.map((own) => compilation.compileCondition(row.table, row.alias, own)),
    compilation.compileCondition(target, alias, guard),
  ])
  const lacksRelated = isChecked ? lacksRelatedSql(compilation, row.table, field) : undefined
  joined.push({ table: `${target.sql} ${alias}`, on, isCertain, lacksRelated })
  return { ...row, table: target, alias, isJoined: true, isCertain }
}

/**
 * Do indexes lead from related items to the rows of the page, if each row leads to one? Only a
 * related scan finds out; without a relation that has to be checked, any statement reads them so.
 */
export function canScanRelated(tableOf: TableOf, table: Table, plan: QueryPlan): boolean {
  const [first] = plan.sort
  if (!first || isRelevance(first) || resolveScalarPath(table.model, first.path).hops.length === 0)
    return false
  const canLeadWhere = (isCertain: IsCertain) => canLead(tableOf, table, plan, first, isCertain)
  return canLeadWhere(isRequiredOrCertain) && !canLeadWhere(isCertainRelation)
}

/**
 * Do indexes lead from the related items in their order to the rows of the page? An engine without
 * statistics joins only then: with a condition it might read all rows for a page, in the order of
 * another table.
 */
function canLead(
  tableOf: TableOf,
  table: Table,
  { condition, sort, pageRange }: QueryPlan,
  key: SortKey,
  isCertain: IsCertain,
): boolean {
  if (isRelevance(key)) return false
  if (key !== sort[0] || condition.kind !== 'always' || key.path.guards?.length) return false
  if (pageRange.limit === Number.POSITIVE_INFINITY) return false
  const { hops, leaf, model } = resolveScalarPath(table.model, key.path)
  let current = table
  for (const { field } of hops) {
    if (!isCertain(current, field.name) || !current.leadingFields.has(field.name)) return false
    current = tableOf(field.relatedModel)
  }
  const { leadingFields, columns } = tableOf(model)
  return (
    leaf.kind === 'value' &&
    leaf.memberPath.length === 0 &&
    leadingFields.has(leaf.field.name) &&
    hasIndexOrder(columns.get(leaf.field.name)!)
  )
}
