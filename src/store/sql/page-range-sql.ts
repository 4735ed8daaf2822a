import { plainText } from '../../model/value-type.ts'
import { idDirection } from '../../query/compare.ts'
import type { PageRange, Position, QueryPlan, SortKey } from '../../query/query-plan.ts'
import { type Compilation, valueIndexOf } from './compilation.ts'
import { orderedValues, type ScalarSql } from './compile-path.ts'
import { compileSortKey } from './compile-sort-key.ts'
import { valueMark } from './compiled-statement.ts'
import type { Dialect } from './dialect.ts'
import {
  isAfterPosition,
  isFirstColumnInRange,
  isFirstKeyInRange,
  type KeyRange,
  type OrderKey,
  rangesAfterPosition,
  reverseKeys,
} from './keyset.ts'
import { limitBound } from './limit-bound.ts'
import { allOfSql, anyOfSql, trueSql } from './logic.ts'
import type { Table } from './table.ts'

/** The terms of ORDER BY for a key: a row has one for each of its values. */
export function orderSql(
  dialect: Dialect,
  { scalar, direction }: OrderKey,
  values: readonly string[] = orderedValues(scalar),
): string {
  return values.map((value) => dialect.order(value, direction, scalar.isNullable)).join(', ')
}

/** The terms of ORDER BY, the id last. */
export function orderKeys(
  compilation: Compilation,
  table: Table,
  alias: string,
  plan: QueryPlan,
  scalarOf: (key: SortKey, index: number) => ScalarSql = (key) =>
    compileSortKey(compilation, table, alias, key),
): readonly OrderKey[] {
  const idParts = table.idParts(alias)
  return [
    ...plan.sort.map((key, index) => ({
      scalar: scalarOf(key, index),
      direction: key.direction,
    })),
    {
      scalar: {
        sql: table.id(alias),
        parts: idParts.length > 1 ? idParts : undefined,
        type: plainText,
        isNullable: false,
        column: undefined,
        native: table.idForm,
      },
      direction: idDirection(plan.sort),
    },
  ]
}

/** The conditions of a page range: its rows are in any of the ranges and within the bound. */
export interface PageRangeSql {
  readonly order: readonly OrderKey[]
  readonly ranges: readonly KeyRange[]
  readonly bound: string
}

const allRows: KeyRange = Object.freeze({ condition: trueSql, fixedKeys: [] })

/** The rows of any of the ranges. */
export function anyRange(ranges: readonly KeyRange[]): string {
  return anyOfSql(ranges.map(({ condition }) => condition))
}

export function pageRangeSql(
  compilation: Compilation,
  { pageRange }: QueryPlan,
  keys: readonly OrderKey[],
): PageRangeSql {
  const reversed = reverseKeys(keys)
  const after = (order: readonly OrderKey[], position: Position): PageRangeSql => {
    const valueIndex = valueIndexOf(compilation, position)
    return {
      order,
      ranges: rangesAfterPosition(compilation, order, position, valueIndex),
      bound: allOfSql([
        // No index has the keys of two tables, but one may have the first.
        order[0]?.isOfOtherTable
          ? isFirstKeyInRange(compilation, order, position, valueIndex)
          : trueSql,
        isFirstColumnInRange(compilation, order, position, valueIndex),
      ]),
    }
  }
  switch (pageRange.kind) {
    case 'offset':
      return { order: keys, ranges: [allRows], bound: trueSql }
    case 'after':
      return after(keys, pageRange.position)
    case 'before':
      return after(reversed, pageRange.position)
    case 'between': {
      const valueIndex = valueIndexOf(compilation, pageRange.before)
      const isBefore = isAfterPosition(compilation, reversed, pageRange.before, valueIndex)
      const range = after(keys, pageRange.after)
      // The first key alone ends the range of an index.
      const bound = allOfSql([
        range.bound,
        isFirstKeyInRange(compilation, reversed, pageRange.before, valueIndex),
        isBefore,
      ])
      return { ...range, bound }
    }
  }
}

export function isUnlimited(pageRange: PageRange): boolean {
  const hasOffset = pageRange.kind === 'offset' && pageRange.offset > 0
  return pageRange.limit === Number.POSITIVE_INFINITY && !hasOffset
}

/**
 * The rows of a query up to the limit of a plan. An engine that plans a statement without its
 * parameters plans it for a tenth of all rows, or once more each time; a bound in the SQL tells it
 * that there are few.
 */
export function limitedSql(
  compilation: Compilation,
  query: string,
  { pageRange }: QueryPlan,
): string {
  const { dialect } = compilation
  const bound = limitBound(dialect.binder, pageRange)
  const limit = limitSql(compilation, pageRange)
  return bound === undefined ? query + limit : `select * from (${query} limit ${bound}) b${limit}`
}

/** A subquery with all rows, in its order: a limit keeps engines from leaving the order out. */
export function inOrderSql(query: string): string {
  return `${query} limit ${maxLimit}`
}

const maxLimit = '9223372036854775807'

function limitSql(compilation: Compilation, pageRange: PageRange): string {
  const valueIndex = valueIndexOf(compilation, pageRange)
  const offset =
    pageRange.kind === 'offset' && pageRange.offset > 0
      ? ` offset ${valueMark(valueIndex + 1)}`
      : ''
  return ` limit ${compilation.dialect.limit(valueMark(valueIndex))}${offset}`
}
