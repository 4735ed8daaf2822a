/** The names of hooks, except `any`. */
export type HookName =
  | 'getList'
  | 'getItem'
  | 'create'
  | 'patch'
  | 'update'
  | 'put'
  | 'replace'
  | 'delete_'
  | 'action'
  | 'getResource'
  | 'setResource'
  | 'relationshipGet'
  | 'relationshipPost'
  | 'relationshipPatch'
  | 'relationshipDelete'

export interface OperationKind {
  readonly scope: 'collection' | 'item' | 'router'
  /** The hooks of the operation, in their order. */
  readonly hooks: readonly HookName[]
  /**
   * Hooks of other operations that run before its own hooks, in both phases, so that no operation
   * bypasses them.
   */
  readonly guards: readonly HookName[]
  /** Further request hooks for models with `upsert`, where the operation may create the item. */
  readonly upsertGuards?: readonly HookName[]
}

/**
 * The operations on items of a model, by their names in the specification. `RelatedGet` responds
 * with related items, and `DeleteResource` clears a binary resource.
 */
export type ModelOperation =
  | 'GetList'
  | 'GetItem'
  | 'CreateItem'
  | 'UpdateItem'
  | 'ReplaceItem'
  | 'DeleteItem'
  | 'ItemMethodApiOperation'
  | 'ItemApiOperation'
  | 'GetResource'
  | 'SetResource'
  | 'DeleteResource'
  | 'RelatedGet'
  | 'RelationshipGet'
  | 'RelationshipPost'
  | 'RelationshipPatch'
  | 'RelationshipDelete'

/** All operations; a `Batch` has several of the others. */
export type OperationName = ModelOperation | 'Batch'

export const operations: Readonly<Record<OperationName, OperationKind>> = {
  GetList: { scope: 'collection', hooks: ['getList'], guards: ['getItem'] },
  GetItem: { scope: 'item', hooks: ['getItem'], guards: [] },
  CreateItem: {
    scope: 'collection',
    hooks: ['create'],
    guards: [],
  },
  UpdateItem: {
    scope: 'item',
    hooks: ['patch', 'update'],
    guards: ['getItem'],
  },
  ReplaceItem: {
    scope: 'item',
    hooks: ['put', 'replace'],
    guards: ['getItem', 'update'],
    upsertGuards: ['create'],
  },
  DeleteItem: {
    scope: 'item',
    hooks: ['delete_'],
    guards: ['getItem', 'update'],
  },
  ItemMethodApiOperation: {
    scope: 'item',
    hooks: ['action'],
    guards: ['getItem', 'update'],
  },
  ItemApiOperation: {
    scope: 'item',
    hooks: ['action'],
    guards: ['getItem', 'update'],
  },
  GetResource: {
    scope: 'item',
    hooks: ['getResource'],
    guards: ['getItem'],
  },
  SetResource: {
    scope: 'item',
    hooks: ['setResource'],
    guards: ['getItem', 'update'],
  },
  DeleteResource: {
    scope: 'item',
    hooks: ['setResource'],
    guards: ['getItem', 'update'],
  },
  RelatedGet: { scope: 'item', hooks: ['getItem'], guards: [] },
  RelationshipGet: {
    scope: 'item',
    hooks: ['getItem', 'relationshipGet'],
    guards: [],
  },
  RelationshipPost: relationshipOperation('relationshipPost'),
  RelationshipPatch: relationshipOperation('relationshipPatch'),
  RelationshipDelete: relationshipOperation('relationshipDelete'),
  // Each of its operations has its own hooks and guards.
  Batch: {
    scope: 'router',
    hooks: [],
    guards: [],
  },
}

/** The hooks of another model whose items a request reads. */
export const readHooks: readonly HookName[] = operations.GetItem.hooks

/** The hooks of another model if the response is a list of its items. */
export const listHooks: readonly HookName[] = [
  ...operations.GetList.guards,
  ...operations.GetList.hooks,
]

/** A change of a relationship is an update of the item. */
function relationshipOperation(ownHook: HookName): OperationKind {
  return {
    scope: 'item',
    hooks: ['patch', 'update', ownHook],
    guards: ['getItem'],
  }
}
