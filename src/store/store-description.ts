/** What a store is, for people who start a service. */
export interface StoreDescription {
  /** The engine with its version, such as `PostgreSQL 15.18`, or `memory`. */
  readonly engine: string
  /** How its rows keep items. Default: the engine has one way only. */
  readonly format?: 'documents' | 'tables'
  /**
   * What the server lacks that the store would use, such as `savepoints`; empty if it lacks
   * nothing. Default: the engine always has everything.
   */
  readonly lacks?: readonly string[]
}
