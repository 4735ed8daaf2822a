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
 * caller may do, `GetChanges` what changed, and `GetGroups` what groups of items add up to.
 * Versions are former states of an item; `PurgeItem` deletes an item in the trash for good.
 */
export type ModelOperation =
  | 'GetList'
  | 'GetCapabilities'
  | 'GetChanges'
  | 'GetGroups'
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
  | 'GetTrashedItem'
  | 'RestoreItem'
  | 'PurgeItem'

/**
 * All operations. Two are about several models: a `Batch` has several of the others, and `GetFeed`
 * tells what changed in several lists.
 */
export type OperationName = ModelOperation | 'Batch' | 'GetFeed'

/** What most operations have in common: they change at most the item in the path. */
const usual = {
  creates: 'never',
  relationChange: 'none',
  changesRelatedItems: false,
  isAllowedInBatch: false,
  shows: 'other',
  isLong: true,
} as const

const readsItems = { ...usual, guards: ['read', 'getItem'], changesItems: false } as const

const changesItem = {
  ...usual,
  scope: 'item',
  guards: ['read', 'getItem', 'write', 'update'],
  changesItems: true,
} as const

/** Changes and groups show what the list shows, so they have the same hooks. */
const listOperation: OperationKind = { ...readsItems, scope: 'collection', hooks: ['getList'] }

const updateOperation: OperationKind = {
  ...changesItem,
  hooks: ['patch', 'update'],
  guards: ['read', 'getItem', 'write'],
  relationChange: 'members',
  isAllowedInBatch: true,
}

const actionOperation: OperationKind = { ...changesItem, hooks: ['action'] }

const resourceChange: OperationKind = { ...changesItem, hooks: ['setResource'] }

const versionOperation: OperationKind = { ...readsItems, scope: 'item', hooks: ['getVersions'] }

export const operations: Readonly<Record<OperationName, OperationKind>> = {
  GetList: listOperation,
  GetItem: {
    ...readsItems,
    scope: 'item',
    hooks: ['read', 'getItem'],
    guards: [],
    shows: 'item',
    isLong: false,
  },
  GetChanges: listOperation,
  GetGroups: listOperation,
  // It shows no item, so it has no guards.
  GetCapabilities: { ...readsItems, scope: 'collection', hooks: [], guards: [], isLong: false },
  CreateItem: {
    ...changesItem,
    scope: 'collection',
    hooks: ['create'],
    guards: ['write'],
    creates: 'always',
    isAllowedInBatch: true,
  },
  UpdateItem: updateOperation,
  // Atomic Operations have no replacement of an item.
  ReplaceItem: {
    ...changesItem,
    hooks: ['put', 'replace'],
    upsertGuards: ['create'],
    creates: 'withUpsert',
    relationChange: 'members',
  },
  DeleteItem: {
    ...changesItem,
    hooks: ['delete_'],
    changesRelatedItems: true,
    isAllowedInBatch: true,
  },
  ItemMethodApiOperation: actionOperation,
  ItemApiOperation: actionOperation,
  GetResource: { ...readsItems, scope: 'item', hooks: ['getResource'] },
  SetResource: resourceChange,
  DeleteResource: resourceChange,
  RelatedGet: {
    ...readsItems,
    scope: 'item',
    hooks: ['read', 'getItem'],
    guards: [],
    shows: 'relatedItems',
  },
  RelationshipGet: {
    ...readsItems,
    scope: 'item',
    hooks: ['read', 'getItem', 'relationshipGet'],
    guards: [],
  },
  RelationshipPost: relationshipOperation('relationshipPost', 'add'),
  RelationshipPatch: relationshipOperation('relationshipPatch', 'replace'),
  RelationshipDelete: relationshipOperation('relationshipDelete', 'remove'),
  GetVersions: versionOperation,
  GetVersion: versionOperation,
  RestoreVersion: { ...changesItem, hooks: ['restoreVersion'], relationChange: 'members' },
  // Rules and hooks hold for items in the trash as they were deleted.
  GetTrash: { ...readsItems, scope: 'collection', hooks: ['getTrash'] },
  GetTrashedItem: { ...readsItems, scope: 'item', hooks: ['getTrash'] },
  RestoreItem: {
    ...changesItem,
    hooks: ['restore'],
    guards: ['read', 'getItem', 'write', 'create'],
  },
  PurgeItem: { ...changesItem, hooks: ['purge'], guards: [...changesItem.guards, 'delete_'] },
  // Each of its models has the hooks and guards of `GetChanges`.
  GetFeed: { ...readsItems, scope: 'router', hooks: [], guards: [] },
  // Each of its operations has its own hooks, guards and changes.
  Batch: { ...changesItem, scope: 'router', hooks: [], guards: [] },
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
    ...updateOperation,
    hooks: [...updateOperation.hooks, ownHook],
    relationChange,
    changesRelatedItems: true,
  }
}
