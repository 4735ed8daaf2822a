import { type LruCache, lruCache } from '../../cache/lru-cache.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { GroupPlan } from '../../query/group-plan.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import { StoreUnavailable } from '../store-failures.ts'
import type { Compilation } from './compilation.ts'
import { createCompilation } from './compile-condition.ts'
import { type CompiledStatement, numberParameters, parametersOf } from './compiled-statement.ts'
import { copyCondition, copyGroupPlan, copyPlan } from './copy-plan.ts'
import type { Binder, Dialect } from './dialect.ts'
import { conditionShape, groupShape, planShape, type ValueIndexes } from './query-shape.ts'
import type { Planner, Planners, ReadStrategy } from './read-strategy.ts'
import type { ReadableTable, Table, TableOf } from './table.ts'

/** SQL with its parameters. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
  /** May it read many rows? Default: false. */
  readonly isLong?: boolean | undefined
  /** Ends with `TooManyBytes` where its rows have more than about so many bytes. Default: any. */
  readonly maxBytes?: number | undefined
  /** Does it need a transaction that was begun? Default: false. */
  readonly needsTransaction?: boolean
}

/** What the cache needs to know about conditions or plans. */
interface QueryKind<Q> {
  shape(query: Q, binder: Binder, values: unknown[], valueIndexes?: ValueIndexes): string
  copy(query: Q): Q
}

const conditionQueries: QueryKind<Condition> = {
  shape: conditionShape,
  copy: copyCondition,
}

const planQueries: QueryKind<QueryPlan> = { shape: planShape, copy: copyPlan }

const groupQueries: QueryKind<GroupPlan> = { shape: groupShape, copy: copyGroupPlan }

/** A query whose statements are compiled on first use, once for all queries of its shape. */
export interface PreparedQuery<Q, S extends ReadStrategy> {
  readonly table: ReadableTable
  readonly strategy: S
  /** The index of the first value that `statement` adds to the values of the query. */
  readonly nextValueIndex: number
  /**
   * @param name names what is compiled, with `parametersBefore` if that is not 0
   * @param parametersBefore how many parameters the statement has before this part of it
   */
  statement(
    name: string,
    compile: (compilation: Compilation, query: Q, strategy: S) => string,
    moreValues?: readonly unknown[],
    parametersBefore?: number,
  ): Statement
}

type PrepareQuery<Q, S extends ReadStrategy> = (
  model: ModelDescription,
  query: Q,
) => PreparedQuery<Q, S>

/** The cached part of a query; its statements hold no values. */
interface CachedShape<S> {
  strategy: S
  /** By the name of the strategy, then by the name of the statement. */
  readonly statements: Map<string, Map<string, CompiledStatement>>
}

/** Prepares the conditions, plans and groups of models, for one database. */
export interface PreparedQueries<S extends ReadStrategy> {
  readonly conditions: PrepareQuery<Condition, S>
  readonly plans: PrepareQuery<QueryPlan, S>
  readonly groups: PrepareQuery<GroupPlan, S>
}

export function prepareQueries<S extends ReadStrategy>(
  dialect: Dialect,
  tableOf: TableOf<ReadableTable>,
  planners: Planners<S>,
): PreparedQueries<S> {
  return {
    conditions: statementCache(conditionQueries, dialect, tableOf, planners.condition),
    plans: statementCache(planQueries, dialect, tableOf, planners.plan),
    groups: statementCache(
      groupQueries,
      dialect,
      tableOf,
      (table, { condition }, cached, tableOf) =>
        planners.condition(table, condition, cached, tableOf),
    ),
  }
}

const maxCachedShapes = 1_000

function statementCache<Q, S extends ReadStrategy>(
  queryKind: QueryKind<Q>,
  dialect: Dialect,
  tableOf: TableOf<ReadableTable>,
  planner: Planner<Q, S>,
): PrepareQuery<Q, S> {
  const { binder } = dialect
  const shapes = new WeakMap<Table, LruCache<string, CachedShape<S>>>()
  return (model, query) => {
    const table = tableOf(model)
    const values: unknown[] = []
    const key = queryKind.shape(query, binder, values)
    const cache = cacheOf(shapes, table)
    let shape = cache.get(key)
    const strategy = planner(table, query, shape?.strategy, tableOf)
    if (shape) shape.strategy = strategy
    else {
      shape = { strategy, statements: new Map() }
      cache.set(key, shape)
    }
    const { statements } = shape
    let ownStatements = statements.get(strategy.name)
    if (!ownStatements) {
      ownStatements = new Map()
      statements.set(strategy.name, ownStatements)
    }
    const compiledByName = ownStatements
    return {
      table,
      strategy,
      nextValueIndex: values.length,
      statement(name, compile, moreValues, parametersBefore = 0) {
        let compiled = compiledByName.get(name)
        if (!compiled) {
          const copy = queryKind.copy(query)
          const valueIndexes: ValueIndexes = new Map()
          queryKind.shape(copy, binder, [], valueIndexes)
          // The strategy of the copy, because a lookup is a part of the query itself.
          const copyStrategy = planner(table, copy, undefined, tableOf)
          if (copyStrategy.name !== strategy.name)
            throw new StoreUnavailable(
              'An index that the query reads has become complete, or another process has dropped it.',
            )
          const compilation = createCompilation(dialect, tableOf, valueIndexes)
          const sql = compile(compilation, copy, copyStrategy)
          const valueCount = values.length + (moreValues?.length ?? 0)
          compiled = numberParameters(dialect, sql, valueCount, parametersBefore)
          compiledByName.set(name, compiled)
        }
        return {
          sql: compiled.sql,
          parameters: parametersOf(compiled, moreValues ? [...values, ...moreValues] : values),
          isLong: strategy.isLong,
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
