import { type LruCache, lruCache } from '../../cache/lru-cache.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import {
  type AccessPath,
  canTrialScan,
  conditionAccessPath,
  planAccessPath,
} from '../sql/access-path.ts'
import type { Compilation } from '../sql/compilation.ts'
import { createCompilation } from '../sql/compile-condition.ts'
import {
  type CompiledStatement,
  numberParameters,
  parametersOf,
} from '../sql/compiled-statement.ts'
import { copyCondition, copyPlan } from '../sql/copy-plan.ts'
import { conditionShape, planShape, type ValueIndexes } from '../sql/query-shape.ts'
import type { Table, TableOf } from '../sql/table.ts'
import { sqliteDialect } from './dialect.ts'

/** SQL with its parameters. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** What the cache needs to know about conditions or plans. */
interface QueryKind<Q> {
  shape(query: Q, values: unknown[], valueIndexes?: ValueIndexes): string
  copy(query: Q): Q
  accessPath(table: Table, query: Q): AccessPath
  canTrialScan(table: Table, query: Q): boolean
}

export const conditionQueries: QueryKind<Condition> = {
  shape: (condition, values, valueIndexes) =>
    conditionShape(condition, sqliteDialect.binder, values, valueIndexes),
  copy: copyCondition,
  accessPath: conditionAccessPath,
  canTrialScan: () => false,
}

export const planQueries: QueryKind<QueryPlan> = {
  shape: (plan, values, valueIndexes) =>
    planShape(plan, sqliteDialect.binder, values, valueIndexes),
  copy: copyPlan,
  accessPath: planAccessPath,
  canTrialScan,
}

/** A query whose statements are compiled on first use, once for all queries of its shape. */
export interface PreparedQuery<Q> {
  readonly table: Table
  readonly kind: AccessPath['kind']
  /** The maximum number of rows that an index lookup finds. */
  readonly maxRows: number
  readonly trialScan: TrialScan
  /** The index of the first value that `statement` adds to the values of the query. */
  readonly nextValueIndex: number
  statement(
    name: string,
    compile: (compilation: Compilation, query: Q, access: AccessPath) => string,
    moreValues?: readonly unknown[],
  ): Statement
}

/** Whether a trial scan is possible, and whether it sufficed for the last query of the shape. */
export interface TrialScan {
  readonly isPossible: boolean
  hasSufficed: boolean
}

/** The cached part of a query; it holds no values. */
interface CachedShape {
  readonly kind: AccessPath['kind']
  readonly maxRows: number
  readonly trialScan: TrialScan
  readonly statements: Map<string, CompiledStatement>
}

const maxCachedShapes = 1_000

export function statementCache<Q>(
  queryKind: QueryKind<Q>,
  tableOf: TableOf,
): (table: Table, query: Q) => PreparedQuery<Q> {
  const shapes = new WeakMap<Table, LruCache<string, CachedShape>>()
  return (table, query) => {
    const values: unknown[] = []
    const key = queryKind.shape(query, values)
    const cache = cacheOf(shapes, table)
    let shape = cache.get(key)
    if (!shape) {
      const access = queryKind.accessPath(table, query)
      shape = {
        kind: access.kind,
        maxRows: access.kind === 'indexLookup' ? access.maxRows : 0,
        trialScan: {
          isPossible: access.kind !== 'indexScan' && queryKind.canTrialScan(table, query),
          hasSufficed: true,
        },
        statements: new Map(),
      }
      cache.set(key, shape)
    }
    const { kind, maxRows, trialScan, statements } = shape
    return {
      table,
      kind,
      maxRows,
      trialScan,
      nextValueIndex: values.length,
      statement(name, compile, moreValues) {
        let compiled = statements.get(name)
        if (!compiled) {
          const copy = queryKind.copy(query)
          const valueIndexes: ValueIndexes = new Map()
          queryKind.shape(copy, [], valueIndexes)
          const sql = compile(
            createCompilation(sqliteDialect, tableOf, valueIndexes),
            copy,
            queryKind.accessPath(table, copy),
          )
          compiled = numberParameters(sqliteDialect, sql, values.length + (moreValues?.length ?? 0))
          statements.set(name, compiled)
        }
        return {
          sql: compiled.sql,
          parameters: parametersOf(compiled, moreValues ? [...values, ...moreValues] : values),
        }
      },
    }
  }
}

function cacheOf<V>(
  caches: WeakMap<Table, LruCache<string, V>>,
  table: Table,
): LruCache<string, V> {
  let cache = caches.get(table)
  if (!cache) {
    cache = lruCache(maxCachedShapes)
    caches.set(table, cache)
  }
  return cache
}
