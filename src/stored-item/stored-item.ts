/**
 * An item as stores keep it. The text is what plain REST sends, so that a response does not parse
 * it:
 *
 * ```
 * {"id":"b-1","title":"Dune","price":9.5,"author":"a-1","genres":["g-1"],"cover":{…},"hash":"…"}
 *            └── values, by wire name ──┘└── owned relations, resources, then the hash ──────┘
 *                                       ↑ relationsOffset
 * ```
 *
 * The text holds the address of a resource without the base address, which differs from router to
 * router. A tab marks where the base address belongs; there is no other tab in the text.
 */
export interface RawItem {
  readonly id: string
  /** JSON of all members that clients may see. */
  readonly text: string
  /** Where in the text (UTF-16 code units) the values end and the relations begin. */
  readonly relationsOffset: number
  /** The value of the hash member; null if the model has none. */
  readonly hash: string | null
}

/** All that a store keeps of an item. */
export interface StoredItem extends RawItem {
  /**
   * JSON object of the hidden and write-only members, by wire name, and of the blob keys; null if
   * there are none.
   */
  readonly hiddenText: string | null
  /** How often the item has been written: 1 for a new item. */
  readonly revision: number
}

export type { StoredValues } from '../query/query-types.ts'
