import type { ModelDescription } from '../../model/model-description.ts'
import type { RelationalLayout } from './relational-layout.ts'

export interface OpenOptions {
  /**
   * May the store change tables? Undefined to change them unless one of them was made by another
   * program.
   */
  readonly manages: boolean | undefined
  /** Behind the versions of items; undefined to keep one in a database that the store manages. */
  readonly versionSecret: string | undefined
  readonly addsForeignKeys: boolean
  /** Does the store keep results of requests? It then makes a table for them. */
  readonly keepsRequests: boolean
  /** Must processes of the old version pause before a step that they cannot live with? */
  readonly needsPause: boolean
  /** Does the store keep a log of changes? */
  readonly keepsChanges: boolean
  layoutOf(model: ModelDescription): RelationalLayout
}

/** What the options of a store say. */
export type TablesStoreOptions = Pick<OpenOptions, 'manages' | 'versionSecret' | 'addsForeignKeys'>
