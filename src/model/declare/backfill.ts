/**
 * A stored item, before a backfill. Members that the model declares have their names in the model,
 * and relations are ids. Members of former models have the names under which they are stored.
 */
export interface OldItem {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: former models are not known
  readonly [member: string]: any
}

/** The value of a field for an item that has none; undefined to leave it without one. */
export type Backfill = (old: OldItem) => unknown
