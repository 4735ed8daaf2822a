import type { ManyRelation, ModelDescription } from '../../model/description.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { compileExact, idType } from './compile-path.ts'
import { limitOf, listed, orderKeys, whereOf } from './compile-plan.ts'
import { slotMark } from './compiled.ts'
import type { Dialect } from './dialect.ts'
import { goesOnSql } from './goes-on.ts'
import { allOfSql, yes } from './logic.ts'
import type { Table, TableOf } from './table.ts'

/** Where it is written down which items an owner relates to. */
export interface Link {
  /** The related items' own table, or that of the pairs. */
  readonly from: 'items' | { readonly pairs: string }
  /** Quoted columns. */
  readonly owner: string
  readonly related: string
}

export function linkOf(dialect: Dialect, tableOf: TableOf, model: ModelDescription, relation: ManyRelation): Link {
  const [owner, target] = [dialect.quote('owner'), dialect.quote('target')]
  if (relation.kind === 'toMany')
    return { from: { pairs: tableOf(model).sides.get(relation.name)!.sql }, owner, related: target }
  const table = tableOf(relation.target)
  const { of } = relation
  return of.kind === 'toMany'
    ? { from: { pairs: table.sides.get(of.name)!.sql }, owner: target, related: owner }
    : { from: 'items', owner: table.columns.get(of.name)!.sql, related: dialect.quote('id') }
}

export interface PagesOptions {
  /** Quoted columns of the related row. */
  readonly columns: readonly string[]
  readonly link: Link
  /** The slot of the list of owners. */
  readonly owners: number
  /** What is looked at in each row before it is sorted with the others: a condition on the row that is `listed`. */
  readonly condition?: string
}

/**
 * The page of each owner: the row, the values of the sort keys, the owner. What an owner's page holds is found by a subquery of its own with
 * a limit of its own, so that an index in the order of the plan is left as soon as the page is full, and no text is read
 * but of what is on a page.
 */
export function compilePages(compilation: Compilation, table: Table, plan: QueryPlan, options: PagesOptions): string {
  const { dialect } = compilation
  const { columns, link, owners, condition = yes } = options
  const id = dialect.quote('id')
  const selected = columns.map((column) => `${listed}.${column}`)
  const positions = plan.sort.map((key) => compileExact(compilation, table, listed, key.path))
  const terms = [
    dialect.order('o.value', 'asc'),
    ...orderKeys(compilation, table, listed, plan).map(({ scalar, direction }) => dialect.order(scalar.sql, direction)),
  ]
  return (
    `select ${[...selected, ...positions, 'o.value'].join(', ')} from ${ownersAt(compilation, owners)} ` +
    `cross join ${table.sql} ${listed} on ${listed}.${id} in (${pageOf(compilation, table, plan, link)})${whereOf(condition)} ` +
    `order by ${terms.join(', ')}`
  )
}

/** Counts what the owners relate to, but not beyond `most`. */
export function compileLinks(compilation: Compilation, table: Table, link: Link, owners: number, most: number): string {
  const { from, owner } = sourceOf(table, link)
  const pairs = `select 1 from ${ownersAt(compilation, owners)} cross join ${from} on ${owner} = o.value limit ${most}`
  return `select count(*) from (${pairs})`
}

function ownersAt({ dialect }: Compilation, slot: number): string {
  return `(${dialect.list(slotMark(slot), idType, false)}) o`
}

/** The ids on the page of the owner in `o.value`. */
function pageOf(compilation: Compilation, table: Table, plan: QueryPlan, link: Link): string {
  const { dialect } = compilation
  const { from, owner, related } = sourceOf(table, link)
  const condition = compilation.condition(table, item, plan.condition)
  const joined = link.from === 'items' ? from : `${from} cross join ${table.sql} ${item}`
  const isJoined = link.from === 'items' ? yes : `${item}.${dialect.quote('id')} = ${related}`
  const keys = orderKeys(compilation, table, item, plan)
  const terms = keys.map(({ scalar, direction }, index) =>
    dialect.order(index === keys.length - 1 ? related : scalar.sql, direction),
  )
  const where = whereOf(allOfSql([`${owner} = o.value`, isJoined, goesOnSql(dialect, item, plan.condition), condition]))
  return `select ${related} from ${joined}${where} order by ${terms.join(', ')}${limitOf(compilation, plan)}`
}

/** The names of the related items' table and of the pairs, in the subquery. */
const item = 'f'
const pair = 'p'

function sourceOf(table: Table, { from, owner, related }: Link) {
  return from === 'items'
    ? { from: `${table.sql} ${item}`, owner: `${item}.${owner}`, related: `${item}.${related}` }
    : { from: `${from.pairs} ${pair}`, owner: `${pair}.${owner}`, related: `${pair}.${related}` }
}
