import type { TextKind } from '../text/csv-cell.ts'

/** A group of items, as responses have it. */
export interface OutgoingGroup {
  /** The values of the keys, by the names of the request. */
  readonly by: Readonly<Record<string, unknown>>
  /** What its items add up to, by the names of the request. */
  readonly aggregates: Readonly<Record<string, unknown>>
}

/** What each group has: a key, or what its items add up to. */
export interface GroupColumn {
  /** As the client wrote it: `author.country`, `sum(price)`. */
  readonly name: string
  readonly of: keyof OutgoingGroup
  readonly text: TextKind
}

/** The groups of a list to be sent. */
export interface OutgoingGroups {
  /** In the order of the request: the keys first. */
  readonly columns: readonly GroupColumn[]
  readonly groups: readonly OutgoingGroup[]
}
