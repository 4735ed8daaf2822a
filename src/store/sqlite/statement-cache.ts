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

/** SQL with what is bound to it. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** What statements are made from: a condition or a plan. */
interface QueryKind<Q> {
  shape(question: Q, values: unknown[], slots?: ValueIndexes): string
  copy(question: Q): Q
  accessPath(table: Table, question: Q): AccessPath
  canTrialScan(table: Table, question: Q): boolean
}

export const conditionQueries: QueryKind<Condition> = {
  shape: (condition, values, slots) =>
    conditionShape(condition, sqliteDialect.binder, values, slots),
  copy: copyCondition,
  accessPath: conditionAccessPath,
  canTrialScan: () => false,
}

export const planQueries: QueryKind<QueryPlan> = {
  shape: (plan, values, slots) => planShape(plan, sqliteDialect.binder, values, slots),
  copy: copyPlan,
  accessPath: planAccessPath,
  canTrialScan,
}

/**
 * A question whose statements are compiled once for all questions of its shape, when they are first
 * asked for.
 */
export interface PreparedQuery<Q> {
  readonly table: Table
  readonly kind: AccessPath['kind']
  /** How many rows there are to gather at most. */
  readonly maxRows: number
  readonly trialScan: TrialScan
  /** The parameters that `statement` adds to the question's own begin at this slot. */
  readonly nextValueIndex: number
  statement(
    name: string,
    compile: (compilation: Compilation, question: Q, access: AccessPath) => string,
    more?: readonly unknown[],
  ): Statement
}

/**
 * Whether looking at the first rows along an index can answer, and whether it did the last time a
 * question of the shape was asked.
 */
export interface TrialScan {
  readonly isPossible: boolean
  hasSufficed: boolean
}

/** What is kept of a shape: nothing of the values of the question that happened to come first. */
interface CachedShape {
  readonly kind: AccessPath['kind']
  readonly maxRows: number
  readonly trialScan: TrialScan
  readonly statements: Map<string, CompiledStatement>
}

const maxCachedShapes = 1_000

export function statementCache<Q>(
  subject: QueryKind<Q>,
  tableOf: TableOf,
): (table: Table, question: Q) => PreparedQuery<Q> {
  const shapes = new WeakMap<Table, LruCache<string, CachedShape>>()
  return (table, question) => {
    const values: unknown[] = []
    const key = subject.shape(question, values)
    const cache = cacheOf(shapes, table)
    let shape = cache.get(key)
    if (!shape) {
      const access = subject.accessPath(table, question)
      shape = {
        kind: access.kind,
        maxRows: access.kind === 'gather' ? access.maxRows : 0,
        trialScan: {
          isPossible: access.kind !== 'walk' && subject.canTrialScan(table, question),
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
      statement(name, compile, more) {
        let made = statements.get(name)
        if (!made) {
          const copy = subject.copy(question)
          const slots: ValueIndexes = new Map()
          subject.shape(copy, [], slots)
          const sql = compile(
            createCompilation(sqliteDialect, tableOf, slots),
            copy,
            subject.accessPath(table, copy),
          )
          made = numberParameters(sqliteDialect, sql, values.length + (more?.length ?? 0))
          statements.set(name, made)
        }
        return {
          sql: made.sql,
          parameters: parametersOf(made, more ? [...values, ...more] : values),
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
