import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { plainText } from '../../model/value-type.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { listSql, orderedValues } from './compile-path.ts'
import { compileSortPosition } from './compile-sort-key.ts'
import { valueMark } from './compiled-statement.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { keysUpToId } from './keyset.ts'
import { allOfSql, trueSql } from './logic.ts'
import { limitedSql, orderKeys, orderSql } from './page-range-sql.ts'
import { listAlias, whereSql } from './row-source.ts'
import { rowSql } from './row-value.ts'
import type { NativeForm, Table, TableOf } from './table.ts'

/** The table and columns that hold a relation. */
export interface RelationSource {
  /** The table of the related items, or a join table. */
  readonly from: 'relatedTable' | { readonly joinTable: string }
  /** The id of the owner in the row with this alias, as SQL. */
  owner(alias: string): string
  /** The columns of the id of the related item, in the form that compares. */
  related(alias: string): readonly string[]
  /** How the id of the owner compares; undefined where it is text. */
  readonly ownerForm: NativeForm | undefined
}

export function relationSourceOf(
  tableOf: TableOf,
  model: ModelDescription,
  relation: ManyRelation,
): RelationSource {
  const { idForm: ownerForm } = tableOf(model)
  if (relation.kind === 'toMany') {
    const { sql, owner, target } = tableOf(model).joinTables.get(relation.name)!
    const columns = {
      owner: columnSql(owner),
      related: relatedSql(target, tableOf(relation.relatedModel)),
    }
    return { from: { joinTable: sql }, ...columns, ownerForm }
  }
  const table = tableOf(relation.relatedModel)
  const { inverseOf } = relation
  if (inverseOf.kind === 'toMany') {
    const { sql, owner, target } = table.joinTables.get(inverseOf.name)!
    const columns = { owner: columnSql(target), related: relatedSql(owner, table) }
    return { from: { joinTable: sql }, ...columns, ownerForm }
  }
  const owner = columnSql(table.columns.get(inverseOf.name)!.sql)
  return { from: 'relatedTable', owner, related: table.idParts, ownerForm }
}

function columnSql(column: string): RelationSource['owner'] {
  return (alias) => `${alias}.${column}`
}

/** A column of a join table may sort in another order than the ids that it holds. */
function relatedSql(column: string, { idForm }: Table): RelationSource['related'] {
  const value = idForm?.value ?? ((id: string) => id)
  return (alias) => [value(`${alias}.${column}`)]
}

export interface RelatedPagesOptions {
  /** Expressions over the related row (`listAlias`). */
  readonly columns: readonly string[]
  readonly source: RelationSource
  /** The index of the value with the list of owners. */
  readonly ownersIndex: number
  /** A condition on the row (`listAlias`), checked before sorting. */
  readonly condition?: string
}

/**
 * The page of each owner: the columns of the row, the values of the sort keys, the owner. A
 * subquery with a limit finds the ids of each page, so that an index scan ends when the page is
 * full and only texts on a page are read.
 */
export function compileRelatedPages(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  options: RelatedPagesOptions,
): string {
  const { dialect } = compilation
  const { columns, source, ownersIndex, condition = trueSql } = options
  const positions = plan.sort.map((key) => compileSortPosition(compilation, table, listAlias, key))
  const from = dialect.joinEach(
    ownersSql(compilation, source, ownersIndex),
    `${table.sql} ${listAlias}`,
    table.idParts(listAlias),
    ownerPageSql(compilation, table, plan, source),
  )
  const terms = [
    dialect.order('o.value', 'asc', false),
    ...keysUpToId(orderKeys(compilation, table, listAlias, plan)).map((key) =>
      orderSql(dialect, key),
    ),
  ]
  return (
    `select ${[...columns, ...positions, 'o.value'].join(', ')} from ${from}${whereSql(condition)} ` +
    `order by ${terms.join(', ')}`
  )
}

/** Counts the items that the owners relate to, up to `maxCount`. */
export function compileRelatedCount(
  compilation: Compilation,
  table: Table,
  source: RelationSource,
  ownersIndex: number,
  maxCount: number,
): string {
  const { from, owner } = qualifiedSource(table, source)
  const pairs = compilation.dialect.joinInOrder(
    ownersSql(compilation, source, ownersIndex),
    from,
    `${owner} = o.value`,
  )
  return `select count(*) from (select 1 from ${pairs} limit ${maxCount}) r`
}

function ownersSql(
  compilation: Compilation,
  { ownerForm: native }: RelationSource,
  ownersIndex: number,
): string {
  return `(${listSql(compilation, valueMark(ownersIndex), { type: plainText, native }, false)}) o`
}

/** The ids on the page of the owner in `o.value`. */
function ownerPageSql(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  source: RelationSource,
): string {
  const { dialect } = compilation
  const { from, owner, related } = qualifiedSource(table, source)
  const condition = compilation.compileCondition(table, itemAlias, plan.condition)
  const joined =
    source.from === 'relatedTable' ? from : `${from} cross join ${table.sql} ${itemAlias}`
  const isJoined =
    source.from === 'relatedTable' ? trueSql : `${table.id(itemAlias)} = ${rowSql(related)}`
  const keys = keysUpToId(orderKeys(compilation, table, itemAlias, plan))
  const terms = keys.map((key, index) =>
    index === keys.length - 1
      ? orderSql(dialect, key, orderedValues({ ...key.scalar, parts: related }))
      : orderSql(dialect, key),
  )
  const where = whereSql(
    allOfSql([
      `${owner} = o.value`,
      isJoined,
      interruptCheckSql(dialect, table, itemAlias, plan.condition, table.idParts(itemAlias)[0]),
      condition,
    ]),
  )
  const ids = `select ${related.join(', ')} from ${joined}${where} order by ${terms.join(', ')}`
  return limitedSql(compilation, ids, plan)
}

/** Aliases in the subquery. */
const itemAlias = 'f'
const joinTableAlias = 'p'

function qualifiedSource(table: Table, { from, owner, related }: RelationSource) {
  const [sql, alias] =
    from === 'relatedTable' ? [table.sql, itemAlias] : [from.joinTable, joinTableAlias]
  return { from: `${sql} ${alias}`, owner: owner(alias), related: related(alias) }
}
