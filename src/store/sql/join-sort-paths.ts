import type { FieldPath, QueryPlan, SortKey } from '../../query/query-plan.ts'
import { type Hop, resolveScalarPath } from '../resolve-path.ts'
import type { Compilation } from './compilation.ts'
import { compileLossless, compileScalar, pathAfterHops } from './compile-path.ts'
import type { JoinedTable } from './dialect.ts'
import type { OrderKey } from './keyset.ts'
import { allOfSql } from './logic.ts'
import { orderKeys } from './page-range-sql.ts'
import { sortsAsStored, type Table } from './table.ts'

/** The rows of a list, joined with the items by whose fields it is sorted. */
export interface SortSource {
  readonly from: string
  /** The terms of ORDER BY, the id last. */
  readonly keys: readonly OrderKey[]
  /** The values of the sort keys (`compileLossless`). */
  positions(): readonly string[]
}

/** The row that has the value of a sort key, and the path from there. */
interface SortedRow {
  readonly table: Table
  readonly alias: string
  readonly path: FieldPath
  readonly isJoined: boolean
  /** Has every row of the list such a row? */
  readonly isCertain: boolean
}

/**
 * Joins the items by whose fields a list is sorted, so that the engine reads them in their order,
 * or all of them at once, and does not look up one for each row.
 *
 * @param from the rows of the list, with the alias
 * @param isLookup true where `from` has few rows
 */
export function joinSortPaths(
  compilation: Compilation,
  table: Table,
  alias: string,
  plan: QueryPlan,
  from: string,
  isLookup: boolean,
): SortSource {
  const { dialect } = compilation
  const joined: JoinedTable[] = []
  const rows = plan.sort.map((key): SortedRow => {
    const { guard, hops } = resolveScalarPath(table.model, key.path)
    const own: SortedRow = { table, alias, path: key.path, isJoined: false, isCertain: true }
    if (hops.length === 0) return own
    if (!dialect.joinsAnyOrder && (isLookup || !canLead(compilation, table, plan, key))) return own
    const path = pathAfterHops(key.path, hops.length)
    return hops.reduce<SortedRow>(
      // A guard of the list's own row hides what the path leads to.
      (row, hop, index) => joinHop(compilation, joined, row, hop, index === 0 ? [guard] : []),
      { ...own, path },
    )
  })
  const scalarOf = (_: SortKey, index: number) => {
    const row = rows[index]!
    const scalar = compileScalar(compilation, row.table, row.alias, row.path)
    if (!row.isJoined) return scalar
    return { ...scalar, column: undefined, isNullable: scalar.isNullable || !row.isCertain }
  }
  const keys = orderKeys(compilation, table, alias, plan, scalarOf)
  return {
    from: joined.length === 0 ? from : dialect.joinRelated(from, joined),
    keys: keys.map((key, index) =>
      rows[index]?.isJoined ? { ...key, isOfOtherTable: true } : key,
    ),
    positions: () =>
      rows.map((row) => compileLossless(compilation, row.table, row.alias, row.path)),
  }
}

function joinHop(
  compilation: Compilation,
  joined: JoinedTable[],
  row: SortedRow,
  { field, guard }: Hop,
  ownGuards: readonly Hop['guard'][],
): SortedRow {
  const target = compilation.tableOf(field.relatedModel)
  const alias = compilation.nextAlias()
  const isUnguarded = [guard, ...ownGuards].every(({ kind }) => kind === 'always')
  const isCertain = row.isCertain && isUnguarded && row.table.certainRelations.has(field.name)
  const on = allOfSql([
    `${target.id(alias)} = ${row.alias}.${row.table.columns.get(field.name)!.sql}`,
    ...ownGuards.map((own) => compilation.compileCondition(row.table, row.alias, own)),
    compilation.compileCondition(target, alias, guard),
  ])
  joined.push({ table: `${target.sql} ${alias}`, on, isCertain })
  return { ...row, table: target, alias, isJoined: true, isCertain }
}

/**
 * Do indexes lead from the related items in their order to the rows of the page? An engine without
 * statistics joins only then: with a condition it might read all rows for a page, in the order of
 * another table.
 */
function canLead(
  { tableOf }: Compilation,
  table: Table,
  { condition, sort, pageRange }: QueryPlan,
  key: SortKey,
): boolean {
  if (key !== sort[0] || condition.kind !== 'always' || key.path.guards?.length) return false
  if (pageRange.limit === Number.POSITIVE_INFINITY) return false
  const { hops, leaf, model } = resolveScalarPath(table.model, key.path)
  let current = table
  for (const { field } of hops) {
    if (!current.certainRelations.has(field.name) || !current.leadingFields.has(field.name))
      return false
    current = tableOf(field.relatedModel)
  }
  const { leadingFields, columns } = tableOf(model)
  return (
    leaf.kind === 'value' &&
    leaf.memberPath.length === 0 &&
    leadingFields.has(leaf.field.name) &&
    sortsAsStored(columns.get(leaf.field.name)!.form)
  )
}
