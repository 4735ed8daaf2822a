/**
 * An item as stores keep it. The text is what plain REST sends, so that a request which changes
 * nothing never parses it:
 *
 * ```
 * {"id":"b-1","title":"Dune","price":9.5,"author":"a-1","genres":["g-1"],"cover":{…},"hash":"…"}
 *            └── values, by wire name ──┘└── owned relations, resources, then the hash ──────┘
 *                                       ↑ split
 * ```
 *
 * The address of a resource begins below the mount path, which differs from router to router; a tab
 * stands before it, and nowhere else.
 */
export interface RawItem {
  readonly id: string
  /** JSON of all that clients may see. */
  readonly text: string
  /** Where in the text (UTF-16 code units) the values end and the relations begin. */
  readonly relationsOffset: number
  /** The hash member of the text; null when the model has none. */
  readonly hash: string | null
}

/** All that stores keep of an item. */
export interface StoredItem extends RawItem {
  /**
   * JSON object of hidden and write-only members by wire name, and of the keys of blobs; null when
   * there are none.
   */
  readonly hiddenText: string | null
  /** How often the item has been written: 1 when new. */
  readonly revision: number
}

/**
 * An item in memory as it is stored: members by the model's own names, relations as identifiers,
 * hidden members too.
 */
export type StoredValues = { readonly id: string; readonly [member: string]: unknown }
