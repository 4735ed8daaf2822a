import type { Condition, Position, QueryPlan } from '../../query/query-plan.ts'
import { strollBounds } from './bounded.ts'
import { type Compilation, slotOf } from './compilation.ts'
import { compileExact, compileScalar, idType } from './compile-path.ts'
import { slotMark } from './compiled.ts'
import { beyond, isBeyond, notBefore, type OrderKey, reversed } from './keyset.ts'
import { allOfSql, anyOfSql, yes } from './logic.ts'
import type { Table } from './table.ts'

/** The name of the listed table in every statement. */
export const listed = 't'

export interface SelectOptions {
  /** Quoted columns of the row. */
  readonly columns: readonly string[]
  /** Adds the values of the sort keys, see `compileExact`. */
  readonly positions?: boolean
  /** Where the few rows come from that an index finds for a part of the condition, instead of from the whole table. */
  readonly gather?: Condition
  /** Whether an index walks the rows in the order of the sort: its ranges are then read one after the other. */
  readonly isWalk?: boolean
  /** Looks only at so many rows of the index that leads through the table in the order of the plan. */
  readonly stroll?: number
}

/**
 * The rows of a plan's window, in its order, or the reverse of it for a window before a position. The texts are not yet
 * numbered: see `compiled`.
 */
export function compileSelect(compilation: Compilation, table: Table, plan: QueryPlan, options: SelectOptions): string {
  const { dialect } = compilation
  const keys = orderKeys(compilation, table, listed, plan)
  const isReverse = plan.window.kind === 'before'
  const order = isReverse ? reversed(keys) : keys
  const condition = compilation.condition(table, listed, plan.condition)
  const { ranges, bound } = windowOf(compilation, plan, keys)
  const selected = options.columns.map((column) => `${listed}.${column}`)
  if (options.positions) {
    selected.push(...plan.sort.map((key) => compileExact(compilation, table, listed, key.path)))
  }
  const end = limitOf(compilation, plan)
  if (options.stroll !== undefined) {
    // The rows come in the order in which the inner query finds them.
    return `select ${selected.join(', ')} from ${strollOf(compilation, table, plan, options.stroll)}${whereOf(condition)}${end}`
  }
  const from = sourceOf(compilation, table, options.gather)
  if (options.isWalk && ranges.length > 1) {
    // A compound select merges its parts in the order of the whole, each walking its own range of the index.
    const names = order.map((_, index) => dialect.quote(`key ${index}`))
    const values = order.map(({ scalar }, index) => `${scalar.sql} as ${names[index]}`)
    const parts = ranges.map(
      (range) =>
        `select ${[...selected, ...values].join(', ')} from ${from}${whereOf(allOfSql([condition, range, bound]))}`,
    )
    const terms = order.map(({ direction }, index) => dialect.order(names[index]!, direction))
    return `${parts.join(' union all ')} order by ${terms.join(', ')}${end}`
  }
  const where = whereOf(allOfSql([condition, ranges.length === 0 ? 'false' : anyOfSql(ranges), bound]))
  const terms = order.map(({ scalar, direction }) => dialect.order(scalar.sql, direction))
  return `select ${selected.join(', ')} from ${from}${where} order by ${terms.join(', ')}${end}`
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
function strollOf(compilation: Compilation, table: Table, plan: QueryPlan, most: number): string {
  const keys = orderKeys(compilation, table, 'f', plan)
  const { ranges, bound, start } = windowOf(compilation, plan, keys)
  const bounds = strollBounds(plan).map((part) => compilation.condition(table, 'f', part))
  const order = plan.window.kind === 'before' ? reversed(keys) : keys
  const terms = order.map(({ scalar, direction }) => compilation.dialect.order(scalar.sql, direction))
  const where = whereOf(allOfSql([ranges.length === 0 ? 'false' : anyOfSql(ranges), start, bound, ...bounds]))
  return `(select f.* from ${table.sql} f${where} order by ${terms.join(', ')} limit ${most}) ${listed}`
}

/** How many rows satisfy the condition. */
export function compileCount(compilation: Compilation, table: Table, condition: Condition, gather?: Condition): string {
  const where = whereOf(compilation.condition(table, listed, condition))
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

/** The window's rows: any of the ranges, of which `start` is what an index finds first, within the bound. */
function windowOf(compilation: Compilation, { window }: QueryPlan, keys: readonly OrderKey[]) {
  const from = (order: readonly OrderKey[], position: Position) => {
    const slot = slotOf(compilation, position)
    return { ranges: beyond(compilation, order, position, slot), start: notBefore(compilation, order, position, slot) }
  }
  switch (window.kind) {
    case 'slice':
      return { ranges: [yes], start: yes, bound: yes }
    case 'after':
      return { ...from(keys, window.position), bound: yes }
    case 'before':
      return { ...from(reversed(keys), window.position), bound: yes }
    case 'between':
      return {
        ...from(keys, window.after),
        bound: isBeyond(compilation, reversed(keys), window.before, slotOf(compilation, window.before)),
      }
  }
}

export function limitOf(compilation: Compilation, { window }: QueryPlan): string {
  const slot = slotOf(compilation, window)
  const skip = window.kind === 'slice' && window.skip > 0 ? ` offset ${slotMark(slot + 1)}` : ''
  return ` limit ${slotMark(slot)}${skip}`
}
