/**
 * The names of hooks, except `any`. `read` runs wherever an item is read, and `write` wherever one
 * is changed; the others belong to operations.
 */
export type HookName =
  | 'read'
  | 'write'
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
  | 'getVersions'
  | 'restoreVersion'
  | 'getTrash'
  | 'restore'
  | 'purge'

export interface OperationKind {
  readonly scope: 'collection' | 'item' | 'router'
  /** The hooks of the operation, in their order. */
  readonly hooks: readonly HookName[]
  /**
   * Hooks of other operations that run before its own hooks, in both phases, so that no operation
   * bypasses them.
   */
  readonly guards: readonly HookName[]
  /** Whether it may write items. No read-only model has such an operation. */
  readonly changesItems: boolean
  /** Further request hooks for models with `upsert`, where the operation may create the item. */
  readonly upsertGuards?: readonly HookName[]
  /** Whether it creates the item; `withUpsert` only in models with `upsert`. */
  readonly creates: 'always' | 'withUpsert' | 'never'
  /**
   * The relations that it changes: those of the item in the body, or the one in the path, and how.
   */
  readonly relationChange: 'members' | 'add' | 'replace' | 'remove' | 'none'
  /**
   * Whether it may change many other items: those that refer to the item, or those that hold the
   * relation in the path. Such an operation has a higher limit.
   */
  readonly changesRelatedItems: boolean
  /** Whether a batch may contain it. */
  readonly isAllowedInBatch: boolean
  /**
   * What its response shows: the item alone, at its own address, so that its document may be
   * cached; or related items, for which the hooks of their list run if there are many.
   */
  readonly shows: 'item' | 'relatedItems' | 'other'
  /** Whether it yields to other requests, even if the client includes nothing. */
  readonly isLong: boolean
}

/**
 * The operations on items of a model, by their names in the specification. `RelatedGet` responds
 * with related items, `DeleteResource` clears a binary resource, `GetCapabilities` tells what the
 * caller may do, and `GetChanges` what changed. Versions are former states of an item; `PurgeItem`
 * deletes an item in the trash for good.
 */
export type ModelOperation =
  | 'GetList'
  | 'GetCapabilities'
  | 'GetChanges'
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
  | 'GetVersions'
  | 'GetVersion'
  | 'RestoreVersion'
  | 'GetTrash'
  | 'RestoreItem'
  | 'PurgeItem'

/**
 * All operations. Two are about several models: a `Batch` has several of the others, and `GetFeed`
 * tells what changed in several lists.
 */
export type OperationName = ModelOperation | 'Batch' | 'GetFeed'

/** Reads, and changes of nothing but the item in the path. */
const noOtherChanges = {
  creates: 'never',
  relationChange: 'none',
  changesRelatedItems: false,
  isAllowedInBatch: false,
} as const

const versionOperation: OperationKind = {
  scope: 'item',
  hooks: ['getVersions'],
  guards: ['read', 'getItem'],
  changesItems: false,
  ...noOtherChanges,
  shows: 'other',
  isLong: true,
}

export const operations: Readonly<Record<OperationName, OperationKind>> = {
  GetList: {
    scope: 'collection',
    hooks: ['getList'],
    guards: ['read', 'getItem'],
    changesItems: false,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  GetItem: {
    scope: 'item',
    hooks: ['read', 'getItem'],
    guards: [],
    changesItems: false,
    ...noOtherChanges,
    shows: 'item',
    isLong: false,
  },
  // It shows what the list shows, so it has the same hooks.
  GetChanges: {
    scope: 'collection',
    hooks: ['getList'],
    guards: ['read', 'getItem'],
    changesItems: false,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  // It shows no item, so it has no guards.
  GetCapabilities: {
    scope: 'collection',
    hooks: [],
    guards: [],
    changesItems: false,
    ...noOtherChanges,
    shows: 'other',
    isLong: false,
  },
  CreateItem: {
    scope: 'collection',
    hooks: ['create'],
    guards: ['write'],
    changesItems: true,
    creates: 'always',
    relationChange: 'none',
    changesRelatedItems: false,
    isAllowedInBatch: true,
    shows: 'other',
    isLong: true,
  },
  UpdateItem: {
    scope: 'item',
    hooks: ['patch', 'update'],
    guards: ['read', 'getItem', 'write'],
    changesItems: true,
    creates: 'never',
    relationChange: 'members',
    changesRelatedItems: false,
    isAllowedInBatch: true,
    shows: 'other',
    isLong: true,
  },
  ReplaceItem: {
    scope: 'item',
    hooks: ['put', 'replace'],
    guards: ['read', 'getItem', 'write', 'update'],
    changesItems: true,
    upsertGuards: ['create'],
    creates: 'withUpsert',
    relationChange: 'members',
    changesRelatedItems: false,
    // Atomic Operations have no replacement of an item.
    isAllowedInBatch: false,
    shows: 'other',
    isLong: true,
  },
  DeleteItem: {
    scope: 'item',
    hooks: ['delete_'],
    guards: ['read', 'getItem', 'write', 'update'],
    changesItems: true,
    creates: 'never',
    relationChange: 'none',
    changesRelatedItems: true,
    isAllowedInBatch: true,
    shows: 'other',
    isLong: true,
  },
  ItemMethodApiOperation: {
    scope: 'item',
    hooks: ['action'],
    guards: ['read', 'getItem', 'write', 'update'],
    changesItems: true,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  ItemApiOperation: {
    scope: 'item',
    hooks: ['action'],
    guards: ['read', 'getItem', 'write', 'update'],
    changesItems: true,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  GetResource: {
    scope: 'item',
    hooks: ['getResource'],
    guards: ['read', 'getItem'],
    changesItems: false,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  SetResource: {
    scope: 'item',
    hooks: ['setResource'],
    guards: ['read', 'getItem', 'write', 'update'],
    changesItems: true,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  DeleteResource: {
    scope: 'item',
    hooks: ['setResource'],
    guards: ['read', 'getItem', 'write', 'update'],
    changesItems: true,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  RelatedGet: {
    scope: 'item',
    hooks: ['read', 'getItem'],
    guards: [],
    changesItems: false,
    ...noOtherChanges,
    shows: 'relatedItems',
    isLong: true,
  },
  RelationshipGet: {
    scope: 'item',
    hooks: ['read', 'getItem', 'relationshipGet'],
    guards: [],
    changesItems: false,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  RelationshipPost: relationshipOperation('relationshipPost', 'add'),
  RelationshipPatch: relationshipOperation('relationshipPatch', 'replace'),
  RelationshipDelete: relationshipOperation('relationshipDelete', 'remove'),
  GetVersions: versionOperation,
  GetVersion: versionOperation,
  RestoreVersion: {
    scope: 'item',
    hooks: ['restoreVersion'],
    guards: ['read', 'getItem', 'write', 'update'],
    changesItems: true,
    ...noOtherChanges,
    relationChange: 'members',
    shows: 'other',
    isLong: true,
  },
  // Rules and hooks hold for items in the trash as they were deleted.
  GetTrash: {
    scope: 'collection',
    hooks: ['getTrash'],
    guards: ['read', 'getItem'],
    changesItems: false,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  RestoreItem: {
    scope: 'item',
    hooks: ['restore'],
    guards: ['read', 'getItem', 'write', 'create'],
    changesItems: true,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  PurgeItem: {
    scope: 'item',
    hooks: ['purge'],
    guards: ['read', 'getItem', 'write', 'update', 'delete_'],
    changesItems: true,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  // Each of its models has the hooks and guards of `GetChanges`.
  GetFeed: {
    scope: 'router',
    hooks: [],
    guards: [],
    changesItems: false,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
  // Each of its operations has its own hooks, guards and changes.
  Batch: {
    scope: 'router',
    hooks: [],
    guards: [],
    changesItems: true,
    ...noOtherChanges,
    shows: 'other',
    isLong: true,
  },
}

/** The hooks of another model whose items a request reads. */
export const readHooks: readonly HookName[] = operations.GetItem.hooks

/** The query hooks that decide which items can be changed. */
export const changeHooks: readonly HookName[] = [
  ...operations.UpdateItem.guards,
  ...operations.UpdateItem.hooks,
]

/** The query hooks that every written item must satisfy. */
export const outcomeHooks: readonly HookName[] = [
  ...operations.CreateItem.guards,
  ...operations.CreateItem.hooks,
]

/** The hooks of another model if the response is a list of its items. */
export const listHooks: readonly HookName[] = [
  ...operations.GetList.guards,
  ...operations.GetList.hooks,
]

/** A change of a relationship is an update of the item. */
function relationshipOperation(
  ownHook: HookName,
  relationChange: 'add' | 'replace' | 'remove',
): OperationKind {
  return {
    scope: 'item',
    hooks: ['patch', 'update', ownHook],
    guards: ['read', 'getItem', 'write'],
    changesItems: true,
    creates: 'never',
    relationChange,
    changesRelatedItems: true,
    isAllowedInBatch: true,
    shows: 'other',
    isLong: true,
  }
}
