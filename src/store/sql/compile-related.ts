import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { compileLossless, idType } from './compile-path.ts'
import { limitSql, listAlias, orderKeys, whereSql } from './compile-plan.ts'
import { valueMark } from './compiled-statement.ts'
import type { Dialect } from './dialect.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { keysUpToId } from './keyset.ts'
import { allOfSql, trueSql } from './logic.ts'
import type { Table, TableOf } from './table.ts'

/** The table and columns that hold a relation. */
export interface RelationSource {
  /** The table of the related items, or a join table. */
  readonly from: 'relatedTable' | { readonly joinTable: string }
  /** Quoted. */
  readonly ownerColumn: string
  readonly relatedColumn: string
}

export function relationSourceOf(
  dialect: Dialect,
  tableOf: TableOf,
  model: ModelDescription,
  relation: ManyRelation,
): RelationSource {
  const [owner, target] = [dialect.quote('owner'), dialect.quote('target')]
  if (relation.kind === 'toMany')
    return {
      from: { joinTable: tableOf(model).joinTables.get(relation.name)!.sql },
      ownerColumn: owner,
      relatedColumn: target,
    }
  const table = tableOf(relation.relatedModel)
  const { inverseOf } = relation
  return inverseOf.kind === 'toMany'
    ? {
        from: { joinTable: table.joinTables.get(inverseOf.name)!.sql },
        ownerColumn: target,
        relatedColumn: owner,
      }
    : {
        from: 'relatedTable',
        ownerColumn: table.columns.get(inverseOf.name)!.sql,
        relatedColumn: dialect.quote('id'),
      }
}

export interface RelatedPagesOptions {
  /** Quoted columns of the related row. */
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
  const id = dialect.quote('id')
  const selected = columns.map((column) => `${listAlias}.${column}`)
  const positions = plan.sort.map((key) => compileLossless(compilation, table, listAlias, key.path))
  const from = dialect.joinInOrder(
    ownersSql(compilation, ownersIndex),
    `${table.sql} ${listAlias}`,
    `${listAlias}.${id} in (${ownerPageSql(compilation, table, plan, source)})`,
  )
  const terms = [
    dialect.order('o.value', 'asc'),
    ...keysUpToId(orderKeys(compilation, table, listAlias, plan)).map(({ scalar, direction }) =>
      dialect.order(scalar.sql, direction),
    ),
  ]
  return (
    `select ${[...selected, ...positions, 'o.value'].join(', ')} from ${from}${whereSql(condition)} ` +
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
    ownersSql(compilation, ownersIndex),
    from,
    `${owner} = o.value`,
  )
  return `select count(*) from (select 1 from ${pairs} limit ${maxCount}) r`
}

function ownersSql({ dialect }: Compilation, ownersIndex: number): string {
  return `(${dialect.list(valueMark(ownersIndex), idType, false)}) o`
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
    source.from === 'relatedTable' ? trueSql : `${itemAlias}.${dialect.quote('id')} = ${related}`
  const keys = keysUpToId(orderKeys(compilation, table, itemAlias, plan))
  const terms = keys.map(({ scalar, direction }, index) =>
    dialect.order(index === keys.length - 1 ? related : scalar.sql, direction),
  )
  const where = whereSql(
    allOfSql([
      `${owner} = o.value`,
      isJoined,
      interruptCheckSql(dialect, itemAlias, plan.condition),
      condition,
    ]),
  )
  return `select ${related} from ${joined}${where} order by ${terms.join(', ')}${limitSql(compilation, plan)}`
}

/** Aliases in the subquery. */
const itemAlias = 'f'
const joinTableAlias = 'p'

function qualifiedSource(table: Table, { from, ownerColumn, relatedColumn }: RelationSource) {
  return from === 'relatedTable'
    ? {
        from: `${table.sql} ${itemAlias}`,
        owner: `${itemAlias}.${ownerColumn}`,
        related: `${itemAlias}.${relatedColumn}`,
      }
    : {
        from: `${from.joinTable} ${joinTableAlias}`,
        owner: `${joinTableAlias}.${ownerColumn}`,
        related: `${joinTableAlias}.${relatedColumn}`,
      }
}
