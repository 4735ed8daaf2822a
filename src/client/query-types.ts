import type { ModelTypes } from './api-types.ts'
import type { Progress } from './progress.ts'

/** Options of a call that has no other. */
export interface CallOptions {
  /** Aborts the call: it rejects with the reason of the signal. Default: none. */
  readonly signal?: AbortSignal | undefined
}

/** What the items of a response hold. */
export interface ItemQuery<Include, Fields> extends CallOptions {
  /** Related items to have in the place of their ids: `['author', 'author.books']`. */
  readonly include?: readonly Include[]
  /** The fields that items have, by the plurals of their models: `{ books: ['title'] }`. */
  readonly fields?: Fields
}

/** Conditions that must all hold. */
export type Filter<Conditions> = Conditions & {
  readonly AND?: readonly Filter<Conditions>[]
  readonly OR?: readonly Filter<Conditions>[]
  readonly NOT?: Filter<Conditions>
}

/** The conditions on fields of a related item: `author.name` for `name`. */
export type RelatedConditions<Relation extends string, Conditions> = {
  readonly [Name in keyof Conditions & string as `${Relation}.${Name}`]?: Conditions[Name]
}

/** A page: by cursor (`size`, `after`, `before`), by number or by offset. */
export interface Page {
  /** Items on a page. Default: the choice of the service, usually 20. */
  readonly size?: number | string
  /** The cursor of a neighbour: take the whole page from `nextPage` and `previousPage`. */
  readonly after?: string
  readonly before?: string
  /** From 1. */
  readonly number?: number | string
  /** Items to skip, from 0. */
  readonly offset?: number | string
  readonly limit?: number | string
}

/** Which items are selected. */
export interface Selection<Model extends ModelTypes> {
  readonly filter?: Filter<Model['filter']>
  /** Words that all occur in an item. */
  readonly search?: Model['search']
}

/**
 * An item or its id. `update`, `replace`, `delete` and actions are refused where the item was
 * changed meanwhile. With an id, and for files and relations, they are done whatever the version
 * is.
 */
export type Target = string | { readonly id: string }

/** What an item says of a file. */
export interface FileInfo {
  /** The URL of the bytes. */
  readonly href: string
  /** The media type. */
  readonly contentType: string
  /** In bytes. */
  readonly size: number
  /** The SHA-256 of the bytes. */
  readonly hash: string
  readonly fileName: string | null
}

/** How bytes are sent. */
export interface UploadQuery<Include, Fields> extends ItemQuery<Include, Fields> {
  /** Default: the name of a `File`. */
  readonly fileName?: string
  readonly onProgress?: Progress
}

/** How bytes are received. */
export interface DownloadOptions extends CallOptions {
  /** Called while bytes arrive. Default: none. */
  readonly onProgress?: Progress
}
