import type { QueryPlan, Scalar, SortDirection } from './query-plan.ts'

/** The operators of one field. Each returns a new query with one more condition. */
export interface FieldQuery<Item> {
  equal(value: Scalar): IQuery<Item>
  notEqual(value: Scalar): IQuery<Item>
  anyOf(values: readonly Scalar[]): IQuery<Item>
  noneOf(values: readonly Scalar[]): IQuery<Item>
  greaterThan(value: Scalar): IQuery<Item>
  greaterThanOrEqual(value: Scalar): IQuery<Item>
  lessThan(value: Scalar): IQuery<Item>
  lessThanOrEqual(value: Scalar): IQuery<Item>
  contains(text: string): IQuery<Item>
  startsWith(text: string): IQuery<Item>
  endsWith(text: string): IQuery<Item>
  /** `%` matches any characters, `_` exactly one. Case-sensitive. */
  like(pattern: string): IQuery<Item>
  isNull(): IQuery<Item>
  /** An array or to-many relation holds at least one of the values. */
  containsAny(values: readonly Scalar[]): IQuery<Item>
  /** An array or to-many relation holds all of the values. */
  containsAll(values: readonly Scalar[]): IQuery<Item>
}

/** Adds conditions to a query, for `and()`, `or()` and `not()`. */
export type QueryCallback<Item> = (query: IQuery<Item>) => IQuery<Item>

/**
 * A query for the items of one model. It is immutable: each call returns a new query. Conditions are
 * joined by AND, so that nothing that is added later can widen the query.
 *
 * Field names are the model's own. Dots reach into structs and through to-one relations
 * (`author.name`).
 *
 * ```ts
 * const affordable = (query: IQuery) =>
 *   query.where('inStock').equal(true).where('price').lessThan(20).sort('price')
 * ```
 */
export interface IQuery<Item = unknown> {
  where(field: string): FieldQuery<Item>
  /** All conditions hold. */
  and(...conditions: QueryCallback<Item>[]): IQuery<Item>
  /** At least one condition holds. Without conditions, no item matches. */
  or(...conditions: QueryCallback<Item>[]): IQuery<Item>
  /** The condition does not hold. */
  not(condition: QueryCallback<Item>): IQuery<Item>
  /**
   * Sorts by one more field, after the fields so far. Items that are equal in all of them are in the
   * order of their ids, in the direction of the last field.
   */
  sort(field: string, direction?: SortDirection): IQuery<Item>
  /**
   * At most this many items; the smallest of several limits counts. In a hook it limits what the
   * caller sees: pages and counts end there.
   */
  limit(count: number): IQuery<Item>
  /** Skips this many more items at the start. */
  skip(count: number): IQuery<Item>
  /** Matches no item: hides everything. */
  none(): IQuery<Item>
  /** How many items satisfy the conditions, regardless of the limit. */
  size(): Promise<number>
  /** The items, one by one, read from the store as they are consumed. */
  exec(): AsyncIterable<Item>
  /** The query as a value, which `printQueryPlan` prints. */
  readonly plan: QueryPlan
}
