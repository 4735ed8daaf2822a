import { allOf, always, andAlso, anyOf, negate, never, toFieldPath } from './conditions.ts'
import { FieldOperators, type OperandSource } from './field-operators.ts'
import type { AnyFieldQuery, IQuery, QueryCallback } from './iquery.ts'
import {
  allItemsPlan,
  type Condition,
  type FieldPath,
  type PageRange,
  type QueryPlan,
  type SortDirection,
} from './query-plan.ts'
import type { StoredValues } from './query-types.ts'

/** Runs a query once it is built. */
export interface QuerySource extends OperandSource {
  size(plan: QueryPlan): Promise<number>
  exec(plan: QueryPlan): AsyncIterable<StoredValues>
}

/** A query that starts from a plan and is run by the source. */
export function createQuery(source: QuerySource, plan: QueryPlan = allItemsPlan): IQuery {
  return new ImmutableQuery(source, plan)
}

/**
 * The same query, but `limit`, `skip` and `sort` throw: for conditions on single items.
 * @param reason why they throw, as a sentence in the error message
 */
export function withoutPageRange(query: IQuery, reason: () => string): IQuery {
  if (!(query instanceof ImmutableQuery))
    throw new TypeError('The query was not created by this service.')
  return query.withoutPageRange(reason)
}

/** Is the value the query itself, or made from it by calls of its methods? */
export function isDerivedFrom(query: IQuery, value: unknown): value is IQuery {
  return (
    value instanceof ImmutableQuery && query instanceof ImmutableQuery && value.isDerivedFrom(query)
  )
}

class ImmutableQuery implements IQuery {
  readonly plan: QueryPlan
  readonly #source: QuerySource
  /** The query that this one is derived from. */
  readonly #origin: ImmutableQuery
  /** Why `limit`, `skip` and `sort` throw; undefined if they do not. */
  readonly #pageRangeRefusal: (() => string) | undefined

  constructor(
    source: QuerySource,
    plan: QueryPlan,
    origin?: ImmutableQuery,
    pageRangeRefusal?: () => string,
  ) {
    this.#source = source
    this.plan = plan
    this.#origin = origin ?? this
    this.#pageRangeRefusal = pageRangeRefusal
  }

  withoutPageRange(reason: () => string): ImmutableQuery {
    return new ImmutableQuery(this.#source, this.plan, undefined, reason)
  }

  isDerivedFrom(query: ImmutableQuery): boolean {
    return this.#origin === query.#origin
  }

  where(field: string): AnyFieldQuery {
    return new FieldOperators(field, this.#source, this)
  }

  and(...conditions: QueryCallback[]): IQuery {
    return this.narrow(allOf(this.#build(conditions)))
  }

  or(...conditions: QueryCallback[]): IQuery {
    return this.narrow(anyOf(this.#build(conditions)))
  }

  not(condition: QueryCallback): IQuery {
    return this.narrow(negate(allOf(this.#build([condition]))))
  }

  sort(field: string, direction: SortDirection = 'asc'): IQuery {
    this.#refusePageRange('sort')
    const { sort } = this.plan
    return this.#with({ ...this.plan, sort: [...sort, { path: toFieldPath(field), direction }] })
  }

  limit(count: number): IQuery {
    this.#refusePageRange('limit')
    const { pageRange } = this.plan
    return this.#with({
      ...this.plan,
      pageRange: { ...pageRange, limit: Math.min(pageRange.limit, checkCount('limit', count)) },
    })
  }

  none(): IQuery {
    return this.narrow(never)
  }

  skip(count: number): IQuery {
    this.#refusePageRange('skip')
    return this.#with({
      ...this.plan,
      pageRange: withOffset(this.plan.pageRange, checkCount('skip', count)),
    })
  }

  size(): Promise<number> {
    return this.#source.size(this.plan)
  }

  exec(): AsyncIterable<StoredValues> {
    return this.#source.exec(this.plan)
  }

  narrow(added: Condition): ImmutableQuery {
    // Named members are faster than a spread, for the hooks of every request.
    const { condition, sort, pageRange } = this.plan
    return this.#with({ condition: andAlso(condition, added), sort, pageRange })
  }

  /** What the callback of `some` says about the items that a path leads to. */
  some(path: FieldPath, callback: QueryCallback): Condition {
    return buildCondition(relatedSource(this.#source, path), callback)
  }

  #with(plan: QueryPlan): ImmutableQuery {
    return new ImmutableQuery(this.#source, plan, this.#origin, this.#pageRangeRefusal)
  }

  #refusePageRange(method: string): void {
    if (this.#pageRangeRefusal !== undefined)
      throw new TypeError(`${method}() is not for this query: ${this.#pageRangeRefusal()}`)
  }

  /** Each callback starts from a query without conditions, and so builds a condition of its own. */
  #build(callbacks: readonly QueryCallback[]): Condition[] {
    const plan = { ...this.plan, condition: always }
    return callbacks.map((callback) => buildCondition(this.#source, callback, plan))
  }
}

/** The conditions that a callback adds to a query without any. */
function buildCondition(
  source: QuerySource,
  callback: QueryCallback,
  plan: QueryPlan = allItemsPlan,
): Condition {
  const start = new ImmutableQuery(source, plan, undefined, conditionOnly)
  const result: unknown = callback(start)
  if (isDerivedFrom(start, result)) return result.plan.condition
  throw new TypeError(
    'A callback of and(), or(), not() or some() must return the query that it receives, or one made from it.',
  )
}

const conditionOnly = () => 'a callback of and(), or(), not() or some() adds conditions only.'

/** Related items are only compared, so a query for them never runs. */
function relatedSource(source: QuerySource, path: FieldPath): QuerySource {
  const cannotRun = () => new Error('The query of a callback of some() cannot be executed.')
  const operands = source.related?.(path)
  return {
    // One by one, because a spread of an instance of a class has none of its methods.
    toStored: (related, value) => operands?.toStored?.(related, value) ?? value,
    related: (related) => operands?.related?.(related) ?? {},
    size: () => Promise.reject(cannotRun()),
    exec: () => {
      throw cannotRun()
    },
  }
}

/** A page behind a cursor is already past the items that are skipped. */
function withOffset(pageRange: PageRange, count: number): PageRange {
  if (pageRange.kind !== 'offset') return pageRange
  return { ...pageRange, offset: pageRange.offset + count }
}

function checkCount(method: string, count: number): number {
  if (Number.isInteger(count) && count >= 0) return count
  throw new RangeError(`${method}() expects a whole number of at least 0; got ${count}.`)
}
