import { negate, toFieldPath } from './conditions.ts'
import type { AnyFieldQuery, IQuery, QueryCallback } from './iquery.ts'
import type { CompareOperator, Condition, FieldPath, Scalar, TextOperator } from './query-plan.ts'

/** Knows how values are stored. */
export interface OperandSource {
  /** The value as it is stored, of one that code compares with; the same if nothing is known. */
  toStored?(path: FieldPath, value: unknown): unknown
  /** The same for the items that a path leads to. Default: nothing is known of them. */
  related?(path: FieldPath): OperandSource
}

/** The query whose field is compared. */
export interface NarrowableQuery {
  /** The query with a further condition. */
  narrow(condition: Condition): IQuery
  /** Builds the condition of `some` from its callback. */
  some(path: FieldPath, callback: QueryCallback): Condition
}

/** The comparisons that `where` offers for a field. Each of them narrows the query. */
export class FieldOperators implements AnyFieldQuery {
  readonly #field: string
  readonly #source: OperandSource
  readonly #query: NarrowableQuery

  constructor(field: string, source: OperandSource, query: NarrowableQuery) {
    this.#field = field
    this.#source = source
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
    return this.#query.narrow({
      kind: 'oneOf',
      path: toFieldPath(this.#field),
      values: this.#scalars('anyOf', values),
    })
  }

  noneOf(values: readonly Scalar[]): IQuery {
    return this.#query.narrow(
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

  equalIgnoringCase(text: string): IQuery {
    return this.#text('equalIgnoringCase', text)
  }

  containsIgnoringCase(text: string): IQuery {
    return this.#text('containsIgnoringCase', text)
  }

  startsWithIgnoringCase(text: string): IQuery {
    return this.#text('startsWithIgnoringCase', text)
  }

  containsAny(values: readonly Scalar[]): IQuery {
    return this.#members('any', this.#scalars('containsAny', values))
  }

  containsAll(values: readonly Scalar[]): IQuery {
    return this.#members('all', this.#scalars('containsAll', values))
  }

  some(callback: QueryCallback): IQuery {
    if (typeof callback !== 'function')
      throw this.#invalidArgument('some', callback, 'a function that adds conditions')
    const path = toFieldPath(this.#field)
    return this.#query.narrow({ kind: 'some', path, condition: this.#query.some(path, callback) })
  }

  #compare(operator: CompareOperator, value: Scalar): IQuery {
    const path = toFieldPath(this.#field)
    return this.#query.narrow({
      kind: 'compare',
      path,
      operator,
      value: this.#scalar(operator, value),
    })
  }

  #text(operator: TextOperator, value: string): IQuery {
    if (typeof value !== 'string') throw this.#invalidArgument(operator, value, 'a string')
    return this.#query.narrow({ kind: 'text', path: toFieldPath(this.#field), operator, value })
  }

  #members(quantity: 'any' | 'all', values: readonly Scalar[]): IQuery {
    return this.#query.narrow({ kind: 'members', path: toFieldPath(this.#field), quantity, values })
  }

  #scalars(operator: string, values: readonly Scalar[]): readonly Scalar[] {
    if (!Array.isArray(values)) throw this.#invalidArgument(operator, values, 'an array')
    return values.map((value) => this.#scalar(operator, value))
  }

  /** `undefined` would make a negated comparison true for all items. */
  #scalar(operator: string, given: unknown): Scalar {
    const value = this.#source.toStored?.(toFieldPath(this.#field), given) ?? given
    if (!isScalar(value))
      throw this.#invalidArgument(operator, value, 'a string, a number, a boolean or null')
    return value
  }

  #invalidArgument(operator: string, value: unknown, expected: string): TypeError {
    const got = typeof value === 'object' && value !== null ? 'an object' : String(value)
    return new TypeError(
      `${operator}() of the field '${this.#field}' expects ${expected}; got ${got}.`,
    )
  }
}

function isScalar(value: unknown): value is Scalar {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return !Number.isNaN(value)
    default:
      return value === null
  }
}
