import type { PathEnd, PathEndOf, QueryPath, SortPath } from './query-path.ts'
import type { QueryPlan, Scalar, SortDirection } from './query-plan.ts'
import type { StoredValuesOf } from './query-types.ts'

/** Compares one value. Each method returns a new query with one more condition. */
export interface ComparisonOperators<Model, Value> {
  equal(value: Value | null): IQuery<Model>
  notEqual(value: Value | null): IQuery<Model>
  anyOf(values: readonly (Value | null)[]): IQuery<Model>
  noneOf(values: readonly (Value | null)[]): IQuery<Model>
  greaterThan(value: BoundOf<Value> | null): IQuery<Model>
  greaterThanOrEqual(value: BoundOf<Value> | null): IQuery<Model>
  lessThan(value: BoundOf<Value> | null): IQuery<Model>
  lessThanOrEqual(value: BoundOf<Value> | null): IQuery<Model>
  isNull(): IQuery<Model>
}

/** Searches in a text. Each method returns a new query with one more condition. */
export interface TextOperators<Model> {
  contains(text: string): IQuery<Model>
  startsWith(text: string): IQuery<Model>
  endsWith(text: string): IQuery<Model>
  /** `%` matches any characters, `_` exactly one. Case-sensitive. */
  like(pattern: string): IQuery<Model>
  /** The same text but for case and accents: `ZOE` and `Zoë`, `STRASSE` and `Straße`. */
  equalIgnoringCase(text: string): IQuery<Model>
  /** Contains the text, whatever the case and accents of both. */
  containsIgnoringCase(text: string): IQuery<Model>
  /** Starts with the text, whatever the case and accents of both. */
  startsWithIgnoringCase(text: string): IQuery<Model>
}

/**
 * Looks for elements of an array, or for ids in a to-many relation. Each method returns a new query
 * with one more condition.
 */
export interface MemberOperators<Model, Value> {
  /** An array or to-many relation holds at least one of the values. */
  containsAny(values: readonly Value[]): IQuery<Model>
  /** An array or to-many relation holds all of the values. */
  containsAll(values: readonly Value[]): IQuery<Model>
}

/** Looks at the items of a to-many relation. It returns a new query with one more condition. */
export interface RelatedOperators<Model, Related> {
  /**
   * At least one of the related items satisfies the conditions that the callback adds, all of them
   * together. In hooks it sees the related items as they are stored.
   *
   * ```ts
   * class Membership extends model('membership', { person: toOne('person') }) {}
   * class Team extends model('team', { members: toMany<Membership>('membership') }) {}
   *
   * const teamsOfAnn = (query: IQuery<Team>) =>
   *   query.where('members').some((membership) => membership.where('person').equal('ann'))
   * ```
   *
   * @throws TypeError if the callback returns another query
   */
  some(condition: QueryCallback<Related>): IQuery<Model>
}

/** Every operator, for a value of which nothing is known. */
// biome-ignore lint/suspicious/noExplicitAny: see IQuery
export interface AnyFieldQuery<Model = any>
  extends ComparisonOperators<Model, Scalar>,
    TextOperators<Model>,
    MemberOperators<Model, Scalar>,
    // biome-ignore lint/suspicious/noExplicitAny: see IQuery
    RelatedOperators<Model, any> {}

/** The operators of the value that a path leads to. */
export type FieldQuery<Model, Path> = 0 extends 1 & PathEndOf<Model, Path>
  ? AnyFieldQuery<Model>
  : PathEndOf<Model, Path> extends PathEnd<infer Quantity, infer Value>
    ? Quantity extends 'many'
      ? MemberOperators<Model, Value> & RelatedOperatorsAt<Model, PathEndOf<Model, Path>>
      : [Value] extends [string]
        ? ComparisonOperators<Model, Value> & TextOperators<Model>
        : ComparisonOperators<Model, Value>
    : never

/** Only where the path leads to a relation. */
export type RelatedOperatorsAt<Model, End> = End extends { readonly each: infer Related }
  ? RelatedOperators<Model, Related>
  : unknown

/** Values to compare with: those of the field, or any bound where the field has an enum. */
export type BoundOf<Value> = Value extends string ? string : Value extends number ? number : Value

/** Adds conditions to a query, for `and()`, `or()`, `not()` and `some()`. */
// biome-ignore lint/suspicious/noExplicitAny: see IQuery
export type QueryCallback<Model = any> = (query: IQuery<Model>) => IQuery

/**
 * A query for the items of one model. It is immutable: each call returns a new query. Conditions
 * are joined by AND, so that nothing that is added later can widen the query.
 *
 * Field names are the model's own. Dots reach into structs and through to-one relations
 * (`author.name`). The class of a model makes its paths and values known to the compiler; without
 * it, any path and any value is accepted.
 *
 * ```ts
 * class Book extends model('book', { price: z.number(), inStock: z.boolean() }) {}
 *
 * const affordable = (query: IQuery<Book>) =>
 *   query.where('inStock').equal(true).where('price').lessThan(20).sort('price')
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: `any` is compatible with every model, both ways
export interface IQuery<Model = any> {
  where<const Path extends QueryPath<Model>>(path: Path): FieldQuery<Model, Path>
  /** Further conditions, all of which hold. */
  and(...conditions: QueryCallback<Model>[]): IQuery<Model>
  /**
   * A further condition: at least one of these holds. Without any, no item matches.
   *
   * ```ts
   * const offers = (query: IQuery) =>
   *   query.or(
   *     (either) => either.where('price').lessThan(5),
   *     (either) => either.where('stock').lessThan(3),
   *   )
   * ```
   */
  or(...conditions: QueryCallback<Model>[]): IQuery<Model>
  /** A further condition: this one does not hold. */
  not(condition: QueryCallback<Model>): IQuery<Model>
  /**
   * Sorts by one more field, after the fields so far. Items that are equal in all of them are in
   * the order of their ids, in the direction of the last field.
   */
  sort(path: SortPath<Model>, direction?: SortDirection): IQuery<Model>
  /**
   * At most this many items; the smallest of several limits counts. In a hook it limits what the
   * caller sees: pages and counts end there.
   */
  limit(count: number): IQuery<Model>
  /** Skips this many more items at the start. */
  skip(count: number): IQuery<Model>
  /** Matches no item: hides everything. */
  none(): IQuery<Model>
  /** How many items satisfy the conditions, regardless of the limit. */
  size(): Promise<number>
  /** The items, one by one, read from the store as they are consumed. Relations are ids. */
  exec(): AsyncIterable<StoredValuesOf<Model>>
  /** The query as a value, which `printQueryPlan` prints. */
  readonly plan: QueryPlan
}
