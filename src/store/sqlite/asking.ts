import { type Cache, generations } from '../../cache/generations.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import { type Access, accessOf, gatherOf, strollsOf } from '../sql/bounded.ts'
import type { Compilation } from '../sql/compilation.ts'
import { compilation } from '../sql/compile-condition.ts'
import { type Compiled, compiled, parametersOf } from '../sql/compiled.ts'
import { copyOf, copyOfPlan } from '../sql/copy.ts'
import { planShapeOf, type SlotMap, shapeOf } from '../sql/shape.ts'
import type { Table, TableOf } from '../sql/table.ts'
import { dialect } from './dialect.ts'

/** SQL with what is bound to it. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly unknown[]
}

/** What statements are made from: a condition or a plan. */
interface Subject<Q> {
  shape(question: Q, values: unknown[], slots?: SlotMap): string
  copy(question: Q): Q
  access(table: Table, question: Q): Access
  strolls(table: Table, question: Q): boolean
}

export const ofConditions: Subject<Condition> = {
  shape: (condition, values, slots) => shapeOf(condition, dialect.binder, values, slots),
  copy: copyOf,
  access: gatherOf,
  strolls: () => false,
}

export const ofPlans: Subject<QueryPlan> = {
  shape: (plan, values, slots) => planShapeOf(plan, dialect.binder, values, slots),
  copy: copyOfPlan,
  access: accessOf,
  strolls: strollsOf,
}

/** A question whose statements are compiled once for all questions of its shape, when they are first asked for. */
export interface Asked<Q> {
  readonly table: Table
  readonly kind: Access['kind']
  /** How many rows there are to gather at most. */
  readonly most: number
  readonly stroll: Stroll
  /** The parameters that `statement` adds to the question's own begin at this slot. */
  readonly nextSlot: number
  statement(
    name: string,
    compile: (compilation: Compilation, question: Q, access: Access) => string,
    more?: readonly unknown[],
  ): Statement
}

/** Whether looking at the first rows along an index can answer, and whether it did the last time a question of the shape was asked. */
export interface Stroll {
  readonly isPossible: boolean
  wasEnough: boolean
}

/** What is kept of a shape: nothing of the values of the question that happened to come first. */
interface Shape {
  readonly kind: Access['kind']
  readonly most: number
  readonly stroll: Stroll
  readonly statements: Map<string, Compiled>
}

const keptShapes = 1_000

export function asking<Q>(subject: Subject<Q>, tableOf: TableOf): (table: Table, question: Q) => Asked<Q> {
  const shapes = new WeakMap<Table, Cache<string, Shape>>()
  return (table, question) => {
    const values: unknown[] = []
    const key = subject.shape(question, values)
    const cache = cacheOf(shapes, table)
    let shape = cache.get(key)
    if (!shape) {
      const access = subject.access(table, question)
      shape = {
        kind: access.kind,
        most: access.kind === 'gather' ? access.most : 0,
        stroll: { isPossible: access.kind !== 'walk' && subject.strolls(table, question), wasEnough: true },
        statements: new Map(),
      }
      cache.set(key, shape)
    }
    const { kind, most, stroll, statements } = shape
    return {
      table,
      kind,
      most,
      stroll,
      nextSlot: values.length,
      statement(name, compile, more) {
        let made = statements.get(name)
        if (!made) {
          const copy = subject.copy(question)
          const slots: SlotMap = new Map()
          subject.shape(copy, [], slots)
          const sql = compile(compilation(dialect, tableOf, slots), copy, subject.access(table, copy))
          made = compiled(dialect, sql, values.length + (more?.length ?? 0))
          statements.set(name, made)
        }
        return { sql: made.sql, parameters: parametersOf(made, more ? [...values, ...more] : values) }
      },
    }
  }
}

function cacheOf<V>(caches: WeakMap<Table, Cache<string, V>>, table: Table): Cache<string, V> {
  let cache = caches.get(table)
  if (!cache) {
    cache = generations(keptShapes)
    caches.set(table, cache)
  }
  return cache
}
