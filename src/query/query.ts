import { allOf, always, andAlso, anyOf, negate, never, toFieldPath } from './conditions.ts'
import type { FieldQuery, IQuery, QueryCallback } from './iquery.ts'
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

/** Runs a query once it is built. */
export interface QuerySource<Item> {
  size(plan: QueryPlan): Promise<number>
  exec(plan: QueryPlan): AsyncIterable<Item>
}

/** A query that starts from a plan and is run by the source. */
export function createQuery<Item>(
  source: QuerySource<Item>,
  plan: QueryPlan = allItemsPlan,
): IQuery<Item> {
  return new ImmutableQuery(source, plan)
}

/**
 * The same query, but `limit`, `skip` and `sort` throw: for conditions on single items.
 * @param reason why they throw, as a sentence in the error message
 */
export function withoutPageRange<Item>(query: IQuery<Item>, reason: string): IQuery<Item> {
  if (!(query instanceof ImmutableQuery))
    throw new TypeError('The query was not created by this service.')
  return query.withoutPageRange(reason)
}

/** Is the value the query itself, or made from it by calls of its methods? */
export function isDerivedFrom<Item>(query: IQuery<Item>, value: unknown): value is IQuery<Item> {
  return (
    value instanceof ImmutableQuery && query instanceof ImmutableQuery && value.isDerivedFrom(query)
  )
}

class ImmutableQuery<Item> implements IQuery<Item> {
  readonly plan: QueryPlan
  readonly #source: QuerySource<Item>
  /** The query that this one is derived from. */
  readonly #origin: ImmutableQuery<Item>
  /** Why `limit`, `skip` and `sort` throw; undefined if they do not. */
  readonly #pageRangeRefusal: string | undefined

  constructor(
    source: QuerySource<Item>,
    plan: QueryPlan,
    origin?: ImmutableQuery<Item>,
    pageRangeRefusal?: string,
  ) {
    this.#source = source
    this.plan = plan
    this.#origin = origin ?? this
    this.#pageRangeRefusal = pageRangeRefusal
  }

  withoutPageRange(reason: string): ImmutableQuery<Item> {
    return new ImmutableQuery(this.#source, this.plan, undefined, reason)
  }

  isDerivedFrom(query: ImmutableQuery<Item>): boolean {
    return this.#origin === query.#origin
  }

  where(field: string): FieldQuery<Item> {
    return new FieldOperators(field, this)
  }

  and(...conditions: QueryCallback<Item>[]): IQuery<Item> {
    return this.narrow(allOf(this.#build(conditions)))
  }

  or(...conditions: QueryCallback<Item>[]): IQuery<Item> {
    return this.narrow(anyOf(this.#build(conditions)))
  }

  not(condition: QueryCallback<Item>): IQuery<Item> {
    return this.narrow(negate(allOf(this.#build([condition]))))
  }

  sort(field: string, direction: SortDirection = 'asc'): IQuery<Item> {
    this.#refusePageRange('sort')
    return this.#withChange({ sort: [...this.plan.sort, { path: toFieldPath(field), direction }] })
  }

  limit(count: number): IQuery<Item> {
    this.#refusePageRange('limit')
    const { pageRange } = this.plan
    return this.#withChange({
      pageRange: { ...pageRange, limit: Math.min(pageRange.limit, checkCount('limit', count)) },
    })
  }

  none(): IQuery<Item> {
    return this.narrow(never)
  }

  skip(count: number): IQuery<Item> {
    this.#refusePageRange('skip')
    return this.#withChange({
      pageRange: withOffset(this.plan.pageRange, checkCount('skip', count)),
    })
  }

  size(): Promise<number> {
    return this.#source.size(this.plan)
  }

  exec(): AsyncIterable<Item> {
    return this.#source.exec(this.plan)
  }

  narrow(condition: Condition): ImmutableQuery<Item> {
    return this.#withChange({ condition: andAlso(this.plan.condition, condition) })
  }

  #withChange(change: Partial<QueryPlan>): ImmutableQuery<Item> {
    const plan = { ...this.plan, ...change }
    return new ImmutableQuery(this.#source, plan, this.#origin, this.#pageRangeRefusal)
  }

  #refusePageRange(method: string): void {
    if (this.#pageRangeRefusal !== undefined)
      throw new TypeError(`${method}() is not for this query: ${this.#pageRangeRefusal}`)
  }

  /** Each callback starts from a query without conditions, and so builds a condition of its own. */
  #build(callbacks: readonly QueryCallback<Item>[]): Condition[] {
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

class FieldOperators<Item> implements FieldQuery<Item> {
  readonly #field: string
  readonly #query: ImmutableQuery<Item>

  constructor(field: string, query: ImmutableQuery<Item>) {
    this.#field = field
    this.#query = query
  }

  equal(value: Scalar): IQuery<Item> {
    return this.#compare('equal', value)
  }

  notEqual(value: Scalar): IQuery<Item> {
    return this.#compare('notEqual', value)
  }

  greaterThan(value: Scalar): IQuery<Item> {
    return this.#compare('greaterThan', value)
  }

  greaterThanOrEqual(value: Scalar): IQuery<Item> {
    return this.#compare('greaterThanOrEqual', value)
  }

  lessThan(value: Scalar): IQuery<Item> {
    return this.#compare('lessThan', value)
  }

  lessThanOrEqual(value: Scalar): IQuery<Item> {
    return this.#compare('lessThanOrEqual', value)
  }

  isNull(): IQuery<Item> {
    return this.#compare('equal', null)
  }

  anyOf(values: readonly Scalar[]): IQuery<Item> {
    return this.#narrow({
      kind: 'oneOf',
      path: toFieldPath(this.#field),
      values: this.#scalars('anyOf', values),
    })
  }

  noneOf(values: readonly Scalar[]): IQuery<Item> {
    return this.#narrow(
      negate({
        kind: 'oneOf',
        path: toFieldPath(this.#field),
        values: this.#scalars('noneOf', values),
      }),
    )
  }

  contains(text: string): IQuery<Item> {
    return this.#text('contains', text)
  }

  startsWith(text: string): IQuery<Item> {
    return this.#text('startsWith', text)
  }

  endsWith(text: string): IQuery<Item> {
    return this.#text('endsWith', text)
  }

  like(pattern: string): IQuery<Item> {
    return this.#text('like', pattern)
  }

  containsAny(values: readonly Scalar[]): IQuery<Item> {
    return this.#members('any', this.#scalars('containsAny', values))
  }

  containsAll(values: readonly Scalar[]): IQuery<Item> {
    return this.#members('all', this.#scalars('containsAll', values))
  }

  #compare(operator: CompareOperator, value: Scalar): IQuery<Item> {
    this.#checkScalar(operator, value)
    return this.#narrow({ kind: 'compare', path: toFieldPath(this.#field), operator, value })
  }

  #text(operator: TextOperator, value: string): IQuery<Item> {
    if (typeof value !== 'string') throw this.#invalidArgument(operator, value, 'a string')
    return this.#narrow({ kind: 'text', path: toFieldPath(this.#field), operator, value })
  }

  #members(quantity: 'any' | 'all', values: readonly Scalar[]): IQuery<Item> {
    return this.#narrow({ kind: 'members', path: toFieldPath(this.#field), quantity, values })
  }

  #narrow(condition: Condition): IQuery<Item> {
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
