import type { Condition, Position, QueryPlan, Window } from '../../query/query-plan.ts'
import { type Compilation, slotOf } from './compilation.ts'
import { perRow } from './compile-condition.ts'
import { compileExact, compileScalar, idType } from './compile-path.ts'
import { slotMark } from './compiled.ts'
import { goesOnSql } from './goes-on.ts'
import { beyond, isBeyond, notBefore, type OrderKey, reversed } from './keyset.ts'
import { allOfSql, anyOfSql, no, yes } from './logic.ts'
import type { Table } from './table.ts'
import { type Way, wayThrough } from './way.ts'

/** The name of the listed table in every statement. */
export const listed = 't'

export interface SelectOptions {
  /** Quoted columns of the row. */
  readonly columns: readonly string[]
  /** What else is selected: expressions over the row that is `listed`. */
  readonly expressions?: readonly string[]
  /** Adds the values of the sort keys, see `compileExact`. */
  readonly positions?: boolean
  /** Where the few rows come from that an index finds for a part of the condition, instead of from the whole table. */
  readonly gather?: Condition
  /** Whether an index walks the rows in the order of the sort: its ranges are then read one after the other. */
  readonly isWalk?: boolean
  /** Settles first which rows there are, so that sorting them carries their ids only, however long their texts are. */
  readonly idsFirst?: boolean
  /** Leaves out a LIMIT that bounds nothing: with one, SQLite puts each row in its place at once, which takes five times as long for a million. */
  readonly isOutermost?: boolean
  /** Looks only at so many rows of the index that leads through the table in the order of the plan. */
  readonly stroll?: number
}

/**
 * The rows of a plan's window, in its order, or the reverse of it for a window before a position. The texts are not yet
 * numbered: see `compiled`.
 */
export function compileSelect(compilation: Compilation, table: Table, plan: QueryPlan, options: SelectOptions): string {
  const selected = [...options.columns.map((column) => `${listed}.${column}`), ...(options.expressions ?? [])]
  if (options.positions) {
    selected.push(...plan.sort.map((key) => compileExact(compilation, table, listed, key.path)))
  }
  if (options.idsFirst) return `select ${selected.join(', ')} from ${settled(compilation, table, plan, options)}`
  const end = options.isOutermost && isEndless(plan.window) ? '' : limitOf(compilation, plan)
  if (options.stroll !== undefined) {
    const way = wayThrough(table, plan)!
    // The rows come in the order in which the inner query finds them, and its bounds need not be looked at again.
    const rest = allOfSql([
      goesOnSql(compilation.dialect, listed, plan.condition),
      ...way.rest.map((part) => compilation.condition(table, listed, part)),
    ])
    return `select ${selected.join(', ')} from ${strollOf(compilation, table, plan, way, options.stroll)}${whereOf(rest)}${end}`
  }
  const { order, ranges, bound } = windowOf(compilation, plan, orderKeys(compilation, table, listed, plan))
  const goesOn = options.isWalk ? yes : goesOnSql(compilation.dialect, listed, plan.condition)
  const parts = options.gather ? perRow(compilation) : compilation
  const condition = parts.condition(table, listed, plan.condition)
  const from = sourceOf(compilation, table, options.gather)
  const wheres = (options.isWalk ? ranges : [anyOfSql(ranges)]).map((range) =>
    allOfSql([goesOn, condition, range, bound]),
  )
  return inOrder(compilation, selected, from, wheres, order) + end
}

/** The rows come in the order in which the inner query gives their ids. */
function settled(compilation: Compilation, table: Table, plan: QueryPlan, { gather }: SelectOptions): string {
  const id = compilation.dialect.quote('id')
  const ids = compileSelect(compilation, table, plan, { columns: [id], ...(gather && { gather }) })
  return `(${ids}) s cross join ${table.sql} ${listed} on ${listed}.${id} = s.${id}`
}

/**
 * The rows that satisfy one of the conditions, of which each is satisfied by rows of its own. A compound select merges its parts in the order
 * of the whole, each walking its own range of an index.
 */
function inOrder(
  { dialect }: Compilation,
  selected: readonly string[],
  from: string,
  wheres: readonly string[],
  order: readonly OrderKey[],
): string {
  const select = (columns: readonly string[], where: string) =>
    `select ${columns.join(', ')} from ${from}${whereOf(where)}`
  if (wheres.length <= 1) {
    const terms = order.map(({ scalar, direction }) => dialect.order(scalar.sql, direction))
    return `${select(selected, wheres[0] ?? no)} order by ${terms.join(', ')}`
  }
  const names = order.map((_, index) => dialect.quote(`key ${index}`))
  const values = order.map(({ scalar }, index) => `${scalar.sql} as ${names[index]}`)
  const terms = order.map(({ direction }, index) => dialect.order(names[index]!, direction))
  const parts = wheres.map((where) => select([...selected, ...values], where))
  return `${parts.join(' union all ')} order by ${terms.join(', ')}`
}

/** The terms of the order, the id last. */
export function orderKeys(compilation: Compilation, table: Table, alias: string, plan: QueryPlan): readonly OrderKey[] {
  const id = `${alias}.${compilation.dialect.quote('id')}`
  return [
    ...plan.sort.map((key) => ({
      scalar: compileScalar(compilation, table, alias, key.path),
      direction: key.direction,
    })),
    { scalar: { sql: id, type: idType, nullable: false, column: undefined }, direction: 'asc' },
  ]
}

/** The first rows of the plan's window as far as the index tells. They keep their order, and only what is selected of them is read. */
function strollOf(compilation: Compilation, table: Table, plan: QueryPlan, way: Way, most: number): string {
  const { order, ranges, bound } = windowOf(compilation, plan, orderKeys(compilation, table, 'f', plan))
  const bounds = way.bounds.map((part) => compilation.condition(table, 'f', part))
  const wheres = ranges.map((range) => allOfSql([...bounds, range, bound]))
  return `(${inOrder(compilation, ['f.*'], `${table.sql} f`, wheres, order)} limit ${most}) ${listed}`
}

/** How many rows a stroll takes. */
export function compilePassed(compilation: Compilation, table: Table, plan: QueryPlan, most: number): string {
  return `select count(*) from ${strollOf(compilation, table, plan, wayThrough(table, plan)!, most)}`
}

/** How many rows satisfy the condition. */
export function compileCount(compilation: Compilation, table: Table, condition: Condition, gather?: Condition): string {
  const satisfies = compilation.condition(table, listed, condition)
  // To count all rows takes no look at any of them.
  const where =
    satisfies === yes ? '' : whereOf(allOfSql([goesOnSql(compilation.dialect, listed, condition), satisfies]))
  return `select count(*) from ${sourceOf(compilation, table, gather)}${where}`
}

/** Any one row that satisfies the condition. */
export function compileFind(
  compilation: Compilation,
  table: Table,
  condition: Condition,
  columns: readonly string[],
): string {
  const selected = columns.map((column) => `${listed}.${column}`).join(', ')
  return `select ${selected} from ${table.sql} ${listed}${whereOf(compilation.condition(table, listed, condition))} limit 1`
}

/** Counts what an index finds for a part of the condition, but not beyond `most`. */
export function compileProbe(compilation: Compilation, table: Table, part: Condition, most: number): string {
  const where = whereOf(compilation.condition(table, listed, part))
  return `select count(*) from (select 1 from ${table.sql} ${listed}${where} limit ${most})`
}

export function whereOf(condition: string): string {
  return condition === yes ? '' : ` where ${condition}`
}

function sourceOf(compilation: Compilation, table: Table, gather: Condition | undefined): string {
  if (!gather) return `${table.sql} ${listed}`
  const id = compilation.dialect.quote('id')
  const found = compilation.condition(table, 'f', gather)
  return `(select f.${id} from ${table.sql} f${whereOf(found)}) g cross join ${table.sql} ${listed} on ${listed}.${id} = g.${id}`
}

/** The window's rows: any of the ranges, within the bound, in the order in which they are read. */
function windowOf(compilation: Compilation, { window }: QueryPlan, keys: readonly OrderKey[]) {
  const back = reversed(keys)
  const from = (order: readonly OrderKey[], position: Position) => ({
    order,
    ranges: beyond(compilation, order, position, slotOf(compilation, position)),
  })
  switch (window.kind) {
    case 'slice':
      return { order: keys, ranges: [yes], bound: yes }
    case 'after':
      return { ...from(keys, window.position), bound: yes }
    case 'before':
      return { ...from(back, window.position), bound: yes }
    case 'between': {
      const slot = slotOf(compilation, window.before)
      const isBefore = isBeyond(compilation, back, window.before, slot)
      // What ends the range of an index, whatever the other keys are.
      const bound = allOfSql([notBefore(compilation, back, window.before, slot), isBefore])
      return { ...from(keys, window.after), bound }
    }
  }
}

function isEndless(window: Window): boolean {
  return window.limit === Number.POSITIVE_INFINITY && !(window.kind === 'slice' && window.skip > 0)
}

export function limitOf(compilation: Compilation, { window }: QueryPlan): string {
  const slot = slotOf(compilation, window)
  const skip = window.kind === 'slice' && window.skip > 0 ? ` offset ${slotMark(slot + 1)}` : ''
  return ` limit ${compilation.dialect.limit(slotMark(slot))}${skip}`
}
