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

/** Who answers a query once it is built. */
export interface QuerySource<Item> {
  size(plan: QueryPlan): Promise<number>
  exec(plan: QueryPlan): AsyncIterable<Item>
}

/** The query that a plan describes, to be narrowed further and answered by the source. */
export function createQuery<Item>(
  source: QuerySource<Item>,
  plan: QueryPlan = allItemsPlan,
): IQuery<Item> {
  return new ImmutableQuery(source, plan)
}

/**
 * The same query, for who decides about single items: it takes neither limit, skip nor sort.
 * @param because what is said to who calls them
 */
export function withoutPageRange<Item>(given: IQuery<Item>, because: string): IQuery<Item> {
  if (!(given instanceof ImmutableQuery))
    throw new TypeError('The query was not made by this service.')
  return given.withoutPageRange(because)
}

/** Is it the query itself, or one that calls on it made? */
export function isDerivedFrom<Item>(given: IQuery<Item>, value: unknown): value is IQuery<Item> {
  return (
    value instanceof ImmutableQuery && given instanceof ImmutableQuery && value.isDerivedFrom(given)
  )
}

class ImmutableQuery<Item> implements IQuery<Item> {
  readonly plan: QueryPlan
  readonly #source: QuerySource<Item>
  /** The query that it was made from, by however many calls. */
  readonly #first: ImmutableQuery<Item>
  /** Why it takes no limit, skip or sort; undefined where it does. */
  readonly #because: string | undefined

  constructor(
    source: QuerySource<Item>,
    plan: QueryPlan,
    first?: ImmutableQuery<Item>,
    because?: string,
  ) {
    this.#source = source
    this.plan = plan
    this.#first = first ?? this
    this.#because = because
  }

  withoutPageRange(because: string): ImmutableQuery<Item> {
    return new ImmutableQuery(this.#source, this.plan, undefined, because)
  }

  isDerivedFrom(given: ImmutableQuery<Item>): boolean {
    return this.#first === given.#first
  }

  where(field: string): FieldQuery<Item> {
    return new FieldOperators(field, this)
  }

  and(...parts: QueryCallback<Item>[]): IQuery<Item> {
    return this.narrow(allOf(this.#conditions(parts)))
  }

  or(...parts: QueryCallback<Item>[]): IQuery<Item> {
    return this.narrow(anyOf(this.#conditions(parts)))
  }

  not(part: QueryCallback<Item>): IQuery<Item> {
    return this.narrow(negate(allOf(this.#conditions([part]))))
  }

  sort(field: string, direction: SortDirection = 'asc'): IQuery<Item> {
    this.#refuseWindow('sort')
    return this.#changed({ sort: [...this.plan.sort, { path: toFieldPath(field), direction }] })
  }

  limit(count: number): IQuery<Item> {
    this.#refuseWindow('limit')
    const { pageRange } = this.plan
    return this.#changed({
      pageRange: { ...pageRange, limit: Math.min(pageRange.limit, checkCount('limit', count)) },
    })
  }

  none(): IQuery<Item> {
    return this.narrow(never)
  }

  skip(count: number): IQuery<Item> {
    this.#refuseWindow('skip')
    return this.#changed({ pageRange: withOffset(this.plan.pageRange, checkCount('skip', count)) })
  }

  size(): Promise<number> {
    return this.#source.size(this.plan)
  }

  exec(): AsyncIterable<Item> {
    return this.#source.exec(this.plan)
  }

  narrow(condition: Condition): ImmutableQuery<Item> {
    return this.#changed({ condition: andAlso(this.plan.condition, condition) })
  }

  #changed(change: Partial<QueryPlan>): ImmutableQuery<Item> {
    return new ImmutableQuery(this.#source, { ...this.plan, ...change }, this.#first, this.#because)
  }

  #refuseWindow(call: string): void {
    if (this.#because !== undefined)
      throw new TypeError(`${call}() is not for this query: ${this.#because}`)
  }

  /**
   * Each part starts from an open query, so that what it builds stays a closed condition of its
   * own.
   */
  #conditions(parts: readonly QueryCallback<Item>[]): Condition[] {
    const open = new ImmutableQuery(
      this.#source,
      { ...this.plan, condition: always },
      undefined,
      partialQueryReason,
    )
    return parts.map((part) => {
      const built: unknown = part(open)
      if (isDerivedFrom(open, built)) return built.plan.condition
      throw new TypeError(
        'A part of and(), or() or not() must return the query it was given, or one made from that.',
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
    if (typeof value !== 'string') throw this.#unfit(operator, value, 'a string')
    return this.#narrow({ kind: 'text', path: toFieldPath(this.#field), operator, value })
  }

  #members(quantity: 'any' | 'all', values: readonly Scalar[]): IQuery<Item> {
    return this.#narrow({ kind: 'members', path: toFieldPath(this.#field), quantity, values })
  }

  #narrow(condition: Condition): IQuery<Item> {
    return this.#query.narrow(condition)
  }

  #scalars(operator: string, values: readonly Scalar[]): readonly Scalar[] {
    if (!Array.isArray(values)) throw this.#unfit(operator, values, 'an array')
    for (const value of values) this.#checkScalar(operator, value)
    return values
  }

  /** A value that is not there would let everything through a negated comparison. */
  #checkScalar(operator: string, value: unknown): void {
    const isScalar = value === null || ['string', 'number', 'boolean'].includes(typeof value)
    if (!isScalar || Number.isNaN(value))
      throw this.#unfit(operator, value, 'a string, a number, a boolean or null')
  }

  #unfit(operator: string, value: unknown, expected: string): TypeError {
    const got = typeof value === 'object' && value !== null ? 'an object' : String(value)
    return new TypeError(
      `${operator}() of the field '${this.#field}' takes ${expected}; got ${got}.`,
    )
  }
}

const partialQueryReason = 'a part of and(), or() or not() says what single items have to satisfy.'

/** A cursor page already lies behind what is skipped, so only slices move. */
function withOffset(window: PageRange, count: number): PageRange {
  return window.kind === 'slice' ? { ...window, offset: window.offset + count } : window
}

function checkCount(what: string, count: number): number {
  if (Number.isInteger(count) && count >= 0) return count
  throw new RangeError(`A query's ${what} must be a whole number from 0 on, not ${count}.`)
}
