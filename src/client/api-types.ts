/** The calls that a model can have; a service has those that its policy and its rules allow. */
export type Call =
  | 'list'
  | 'stream'
  | 'groups'
  | 'follow'
  | 'get'
  | 'create'
  | 'update'
  | 'replace'
  | 'delete'
  | 'isOutdated'
  | 'upload'
  | 'download'
  | 'deleteFile'
  | 'actions'
  | 'relations'

/** A relation to one item, or to many, of the model with this plural. */
export type RelationTypes =
  | { readonly one: string; readonly isOptional?: true }
  | { readonly many: string }

/** What an action takes, and what it responds with where that is not the item. */
export interface ActionTypes {
  readonly input?: unknown
  readonly output?: unknown
}

/**
 * What a generated file says of one model. All of it is types, which cost nothing when a program
 * runs.
 */
export interface ModelTypes {
  readonly calls: Call
  /** An item as calls return it, without included items. */
  readonly item: { id: string }
  readonly create: object
  readonly update: object
  readonly replace: object
  readonly filter: object
  readonly sort: string
  /** The paths of `include`. */
  readonly include: string
  readonly relations: Readonly<Record<string, RelationTypes>>
  readonly actions: Readonly<Record<string, ActionTypes>>
  /** The paths of files that can be uploaded. */
  readonly files: string
  /** The paths of files that can be downloaded: also variants of images. */
  readonly downloads: string
  readonly search: string
  /** The results of functions, by their names. */
  readonly aggregates: object
  /** The values of members with their counts, by the names of the members. */
  readonly facets: object
  /** The values by which items can be grouped, by their names. */
  readonly groups: object
}

/** The models of a service by their plurals: `Api` in a generated file. */
export type ApiTypes = Readonly<Record<string, ModelTypes>>
