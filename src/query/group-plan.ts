import type { Condition, FieldPath, Scalar } from './query-plan.ts'

/** The part of a date or of a date-time that groups have: `2024`, `2024-Q2`, `2024-05`, … */
export type DatePart = 'year' | 'quarter' | 'month' | 'week' | 'day'

/**
 * What items are grouped by: a value, or each member of an array or of a to-many relation. Of a
 * date or a date-time it may be a part.
 */
export interface GroupKey {
  readonly path: FieldPath
  readonly part?: DatePart
  /** The IANA name of the time zone in which a date-time has the part. Default: UTC. */
  readonly timeZone?: string
}

/** Nulls take part in no function. */
export type AggregateFunction = 'sum' | 'min' | 'max' | 'countDistinct'

export interface AggregateTerm {
  readonly function: AggregateFunction
  readonly path: FieldPath
}

/** What a store is asked about groups of items. */
export interface GroupPlan {
  readonly condition: Condition
  /** Without one, all items are one group, also if there are none. */
  readonly by: readonly GroupKey[]
  readonly aggregates: readonly AggregateTerm[]
  /** The largest groups first, or in the order of their keys, which is the order of ties too. */
  readonly order: 'largestFirst' | 'keys'
  /** Of the groups. */
  readonly limit: number
}

/**
 * The result of a function. Values are in their canonical form (`canonicalValue`): date-times in
 * UTC, decimal numbers without zeros at the end.
 */
export type AggregateResult =
  /** The exact sum as a decimal number, and how many values it has. */
  | { readonly function: 'sum'; readonly sum: string; readonly count: number }
  /** Null without values. */
  | { readonly function: 'min' | 'max'; readonly value: Scalar }
  | { readonly function: 'countDistinct'; readonly count: number }

/** A group of items, with the results in the order of the plan. */
export interface ItemGroup {
  /** One for each key of the plan, in its canonical form. Null and absent are one. */
  readonly keys: readonly Scalar[]
  /** How many items it has. */
  readonly count: number
  readonly results: readonly AggregateResult[]
}
