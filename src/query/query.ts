import { allOf, always, andAlso, anyOf, negate, never, toFieldPath } from './conditions.ts'
import type { AnyFieldQuery, IQuery, QueryCallback } from './iquery.ts'
import {
  allItemsPlan,
  type CompareOperator,
  type Condition,
  type PageRange,
  type QueryPlan,
  type Scalar,
  type SortDirection,
  type TextOperator,
} from './query-plan.ts'
import type { StoredValues } from './query-types.ts'

/** Runs a query once it is built. */
export interface QuerySource {
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
export function withoutPageRange(query: IQuery, reason: string): IQuery {
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
  readonly #pageRangeRefusal: string | undefined

  constructor(
    source: QuerySource,
    plan: QueryPlan,
    origin?: ImmutableQuery,
    pageRangeRefusal?: string,
  ) {
    this.#source = source
    this.plan = plan
    this.#origin = origin ?? this
    this.#pageRangeRefusal = pageRangeRefusal
  }

  withoutPageRange(reason: string): ImmutableQuery {
    return new ImmutableQuery(this.#source, this.plan, undefined, reason)
  }

  isDerivedFrom(query: ImmutableQuery): boolean {
    return this.#origin === query.#origin
  }

  where(field: string): AnyFieldQuery {
    return new FieldOperators(field, this)
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
    return this.#withChange({ sort: [...this.plan.sort, { path: toFieldPath(field), direction }] })
  }

  limit(count: number): IQuery {
    this.#refusePageRange('limit')
    const { pageRange } = this.plan
    return this.#withChange({
      pageRange: { ...pageRange, limit: Math.min(pageRange.limit, checkCount('limit', count)) },
    })
  }

  none(): IQuery {
    return this.narrow(never)
  }

  skip(count: number): IQuery {
    this.#refusePageRange('skip')
    return this.#withChange({
      pageRange: withOffset(this.plan.pageRange, checkCount('skip', count)),
    })
  }

  size(): Promise<number> {
    return this.#source.size(this.plan)
  }

  exec(): AsyncIterable<StoredValues> {
    return this.#source.exec(this.plan)
  }

  narrow(condition: Condition): ImmutableQuery {
    return this.#withChange({ condition: andAlso(this.plan.condition, condition) })
  }

  #withChange(change: Partial<QueryPlan>): ImmutableQuery {
    const plan = { ...this.plan, ...change }
    return new ImmutableQuery(this.#source, plan, this.#origin, this.#pageRangeRefusal)
  }

  #refusePageRange(method: string): void {
    if (this.#pageRangeRefusal !== undefined)
      throw new TypeError(`${method}() is not for this query: ${this.#pageRangeRefusal}`)
  }

  /** Each callback starts from a query without conditions, and so builds a condition of its own. */
  #build(callbacks: readonly QueryCallback[]): Condition[] {
    const start = new ImmutableQuery(
      this.#source,
      { ...this.plan, condition: always },
      undefined,
      conditionOnly,
    )
    return callbacks.map((callback) => {
      const result: unknown = callback(start)
      if (isDerivedFrom(start, result)) return result.plan.condition
      throw new TypeError(
        'A callback of and(), or() or not() must return the query that it receives, or one made from it.',
      )
    })
  }
}

class FieldOperators implements AnyFieldQuery {
  readonly #field: string
  readonly #query: ImmutableQuery

  constructor(field: string, query: ImmutableQuery) {
    this.#field = field
    this.#query = query
  }

  equal(value: Scalar): IQuery {
    return this.#compare('equal', value)
  }

  notEqual(value: Scalar): IQuery {
    return this.#compare('notEqual', value)
  }

  greaterThan(value: Scalar): IQuery {
    return this.#compare('greaterThan', value)
  }

  greaterThanOrEqual(value: Scalar): IQuery {
    return this.#compare('greaterThanOrEqual', value)
  }

  lessThan(value: Scalar): IQuery {
    return this.#compare('lessThan', value)
  }

  lessThanOrEqual(value: Scalar): IQuery {
    return this.#compare('lessThanOrEqual', value)
  }

  isNull(): IQuery {
    return this.#compare('equal', null)
  }

  anyOf(values: readonly Scalar[]): IQuery {
    return this.#narrow({
      kind: 'oneOf',
      path: toFieldPath(this.#field),
      values: this.#scalars('anyOf', values),
    })
  }

  noneOf(values: readonly Scalar[]): IQuery {
    return this.#narrow(
      negate({
        kind: 'oneOf',
        path: toFieldPath(this.#field),
        values: this.#scalars('noneOf', values),
      }),
    )
  }

  contains(text: string): IQuery {
    return this.#text('contains', text)
  }

  startsWith(text: string): IQuery {
    return this.#text('startsWith', text)
  }

  endsWith(text: string): IQuery {
    return this.#text('endsWith', text)
  }

  like(pattern: string): IQuery {
    return this.#text('like', pattern)
  }

  containsAny(values: readonly Scalar[]): IQuery {
    return this.#members('any', this.#scalars('containsAny', values))
  }

  containsAll(values: readonly Scalar[]): IQuery {
    return this.#members('all', this.#scalars('containsAll', values))
  }

  #compare(operator: CompareOperator, value: Scalar): IQuery {
    this.#checkScalar(operator, value)
    return this.#narrow({ kind: 'compare', path: toFieldPath(this.#field), operator, value })
  }

  #text(operator: TextOperator, value: string): IQuery {
    if (typeof value !== 'string') throw this.#invalidArgument(operator, value, 'a string')
    return this.#narrow({ kind: 'text', path: toFieldPath(this.#field), operator, value })
  }

  #members(quantity: 'any' | 'all', values: readonly Scalar[]): IQuery {
    return this.#narrow({ kind: 'members', path: toFieldPath(this.#field), quantity, values })
  }

  #narrow(condition: Condition): IQuery {
    return this.#query.narrow(condition)
  }

  #scalars(operator: string, values: readonly Scalar[]): readonly Scalar[] {
    if (!Array.isArray(values)) throw this.#invalidArgument(operator, values, 'an array')
    for (const value of values) this.#checkScalar(operator, value)
    return values
  }

  /** `undefined` would make a negated comparison true for all items. */
  #checkScalar(operator: string, value: unknown): void {
    const isScalar = value === null || ['string', 'number', 'boolean'].includes(typeof value)
    if (!isScalar || Number.isNaN(value))
      throw this.#invalidArgument(operator, value, 'a string, a number, a boolean or null')
  }

  #invalidArgument(operator: string, value: unknown, expected: string): TypeError {
    const got = typeof value === 'object' && value !== null ? 'an object' : String(value)
    return new TypeError(
      `${operator}() of the field '${this.#field}' expects ${expected}; got ${got}.`,
    )
  }
}

const conditionOnly = 'a callback of and(), or() or not() adds conditions only.'

/** A page behind a cursor is already past the items that are skipped. */
function withOffset(pageRange: PageRange, count: number): PageRange {
  if (pageRange.kind !== 'offset') return pageRange
  return { ...pageRange, offset: pageRange.offset + count }
}

function checkCount(method: string, count: number): number {
  if (Number.isInteger(count) && count >= 0) return count
  throw new RangeError(`${method}() expects a whole number of at least 0; got ${count}.`)
}
