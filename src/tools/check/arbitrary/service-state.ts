/** The document of the service, and the ids of its items. */
export interface ServiceState {
  readonly document: unknown
  /** Ids of existing items, by the plural of their model; undefined if there are none. */
  ids(plural: string): readonly [string, ...string[]] | undefined
  /** Ids of other items, which requests may delete. */
  deletableIds(plural: string): readonly [string, ...string[]] | undefined
}
