/** What is known of the service that a document cannot say. */
export interface ServiceState {
  readonly document: unknown
  /**
   * Identifiers of items that are there, by the plural of their model; undefined where none are.
   */
  ids(plural: string): readonly [string, ...string[]] | undefined
  /** Of others, which may be deleted without anything else that is asked for becoming wrong. */
  deletableIds(plural: string): readonly [string, ...string[]] | undefined
}
