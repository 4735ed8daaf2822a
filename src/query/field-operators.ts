import { negate, toFieldPath } from './conditions.ts'
import type { AnyFieldQuery, IQuery } from './iquery.ts'
import type { CompareOperator, Condition, Scalar, TextOperator } from './query-plan.ts'

/** The comparisons that `where` offers for a field. Each of them narrows the query. */
export class FieldOperators implements AnyFieldQuery {
  readonly #field: string
  readonly #narrow: (condition: Condition) => IQuery

  /** @param narrow makes the query with a further condition */
  constructor(field: string, narrow: (condition: Condition) => IQuery) {
    this.#field = field
    this.#narrow = narrow
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
