import type { ErrorCode } from '../error/catalog.ts'

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
  /** Its errors, except those of the pipeline. */
  readonly errors: readonly ErrorCode[]
}

const bodyErrors = ['invalid-member', 'value-taken', 'item-too-large'] as const
const itemErrors = ['not-found'] as const
const matchErrors = ['precondition-failed', 'precondition-required'] as const

const actionErrors = [
  ...itemErrors,
  'invalid-input',
  'unknown-member',
  'invalid-outcome',
  'item-too-large',
  'value-taken',
  'conflict',
  'too-many-requests',
  ...matchErrors,
] as const

const linkageErrors = [
  ...itemErrors,
  'forbidden',
  'invalid-member',
  'item-too-large',
  'conflict',
  ...matchErrors,
] as const

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
  GetList: { scope: 'collection', hooks: ['getList'], guards: ['getItem'], errors: [] },
  GetItem: { scope: 'item', hooks: ['getItem'], guards: [], errors: itemErrors },
  CreateItem: {
    scope: 'collection',
    hooks: ['create'],
    guards: [],
    errors: [...bodyErrors, 'already-exists', 'invalid-id', 'id-not-allowed', 'forbidden'],
  },
  UpdateItem: {
    scope: 'item',
    hooks: ['patch', 'update'],
    guards: ['getItem'],
    errors: [...itemErrors, ...bodyErrors, 'id-mismatch', ...matchErrors],
  },
  ReplaceItem: {
    scope: 'item',
    hooks: ['put', 'replace'],
    guards: ['getItem', 'update'],
    upsertGuards: ['create'],
    errors: [...itemErrors, ...bodyErrors, 'id-mismatch', ...matchErrors],
  },
  DeleteItem: {
    scope: 'item',
    hooks: ['delete_'],
    guards: ['getItem', 'update'],
    errors: [...itemErrors, 'still-referenced', ...matchErrors],
  },
  ItemMethodApiOperation: {
    scope: 'item',
    hooks: ['action'],
    guards: ['getItem', 'update'],
    errors: actionErrors,
  },
  ItemApiOperation: {
    scope: 'item',
    hooks: ['action'],
    guards: ['getItem', 'update'],
    errors: actionErrors,
  },
  GetResource: {
    scope: 'item',
    hooks: ['getResource'],
    guards: ['getItem'],
    errors: [...itemErrors, 'range-not-satisfiable', 'unprocessable', 'image-too-large'],
  },
  SetResource: {
    scope: 'item',
    hooks: ['setResource'],
    guards: ['getItem', 'update'],
    errors: [...itemErrors, 'request-timeout', 'image-too-large', ...matchErrors],
  },
  DeleteResource: {
    scope: 'item',
    hooks: ['setResource'],
    guards: ['getItem', 'update'],
    errors: [...itemErrors, ...matchErrors],
  },
  RelatedGet: { scope: 'item', hooks: ['getItem'], guards: [], errors: itemErrors },
  RelationshipGet: {
    scope: 'item',
    hooks: ['getItem', 'relationshipGet'],
    guards: [],
    errors: itemErrors,
  },
  RelationshipPost: relationshipOperation('relationshipPost'),
  RelationshipPatch: relationshipOperation('relationshipPatch'),
  RelationshipDelete: relationshipOperation('relationshipDelete'),
  // Each of its operations has its own hooks, guards and errors.
  Batch: {
    scope: 'router',
    hooks: [],
    guards: [],
    errors: ['limit-exceeded', 'operation-refused'],
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
    errors: linkageErrors,
  }
}
