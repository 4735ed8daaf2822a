import type { QueryPlan, Scalar, SortDirection } from './query-plan.ts'

/** The operators of one field. Each returns a new query narrowed by the comparison. */
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
  /** `%` stands for any run of characters, `_` for any one; case counts. */
  like(pattern: string): IQuery<Item>
  isNull(): IQuery<Item>
  /** Of an array or a to-many relation: it holds at least one of the values. */
  containsAny(values: readonly Scalar[]): IQuery<Item>
  /** Of an array or a to-many relation: it holds every one of the values. */
  containsAll(values: readonly Scalar[]): IQuery<Item>
}

/** A part of a query that is built apart, for `and()`, `or()` and `not()`. */
export type QueryCallback<Item> = (query: IQuery<Item>) => IQuery<Item>

/**
 * A question about the items of one collection. It never changes: each call returns a new query,
 * and each narrowing is a closed AND part, so that nothing added later can widen what was narrowed
 * before.
 *
 * Field names are the model's own, dotted to reach into structs and through relations to one
 * (`author.name`).
 *
 * ```ts
 * const affordable = (query: IQuery) => query.where('inStock').equal(true).where('price').lessThan(20).sort('price')
 * ```
 */
export interface IQuery<Item = unknown> {
  where(field: string): FieldQuery<Item>
  /** Every one of the parts holds. */
  and(...parts: QueryCallback<Item>[]): IQuery<Item>
  /** At least one of the parts holds; without parts, none can. */
  or(...parts: QueryCallback<Item>[]): IQuery<Item>
  /** The part does not hold. */
  not(part: QueryCallback<Item>): IQuery<Item>
  /**
   * Sorts by one more field, after those already named; equal items keep the order of their ids.
   */
  sort(field: string, direction?: SortDirection): IQuery<Item>
  /**
   * At most this many items: the smallest of all limits counts. In a hook it bounds what there is
   * for the caller: pages walk within it, and counts end with it.
   */
  limit(count: number): IQuery<Item>
  /** Leaves out this many more items at the start. */
  skip(count: number): IQuery<Item>
  /** No item satisfies it: hides everything. */
  none(): IQuery<Item>
  /** How many items satisfy the conditions, whatever the limit. */
  size(): Promise<number>
  /** The items, one by one, read from the store only as fast as they are taken. */
  exec(): AsyncIterable<Item>
  /** What was built so far, as a frozen value that `print` shows as text. */
  readonly plan: QueryPlan
}
