/** How the items of a model relate to those of another. */
export interface RelationManifest {
  /** The plural of the related model. */
  readonly model: string
  readonly isMany?: boolean
  /** The relation of the related items that leads back, where items do not hold the ids. */
  readonly inverse?: string
}

/** How an action is called, and whether it responds with the item or with an output of its own. */
export interface ActionManifest {
  readonly segment: string
  readonly hasOutput?: boolean
}

/** What a client has to know of a model when it runs, which types cannot say. */
export interface ModelManifest {
  /** The singular, under which plain REST has one item. */
  readonly name: string
  /** The most items that a page may have. Default: 1000. */
  readonly maxPageSize?: number
  /** The member with the version of an item. */
  readonly version?: string
  readonly relations?: Readonly<Record<string, RelationManifest>>
  readonly actions?: Readonly<Record<string, ActionManifest>>
}

/**
 * What `resourcery client` writes beside the types: a few kilobytes for a large service.
 *
 * ```ts
 * const shop: Manifest = { policy: 'rest', models: { books: { name: 'book' } } }
 * ```
 */
export interface Manifest<Api = unknown> {
  /** Never there: it gives `createClient` the types. */
  readonly api?: Api
  readonly policy: 'rest' | 'json-api'
  /** Does the service repeat responses for an `Idempotency-Key`? */
  readonly repeatsWrites?: boolean
  readonly models: Readonly<Record<string, ModelManifest>>
}
