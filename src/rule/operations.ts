import type { ErrorCode } from '../error/catalog.ts'

/** What a hook can be named after, beside `any`. */
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
  /** What the path names. `router`: neither a model nor an item of one. */
  readonly scope: 'collection' | 'item' | 'router'
  /** The hooks of the operation, in their order. */
  readonly hooks: readonly HookName[]
  /**
   * Hooks of other operations that run before its own, in both phases, so that there is no back
   * door to an item that they guard.
   */
  readonly guards: readonly HookName[]
  /**
   * Request hooks that run too where the model says `upsert`, for then the operation may create the
   * item.
   */
  readonly upsertGuards?: readonly HookName[]
  /** What it can refuse, beside what the pipeline refuses for any operation. */
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
 * Every operation on items of a model. The names are the specification's own; `RelatedGet` answers
 * with the items that a relation leads to, and `DeleteResource` clears a binary resource.
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

/** Every operation there is; a `Batch` holds several of the others. */
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
  // Each operation in it has hooks, guards and errors of its own.
  Batch: {
    scope: 'router',
    hooks: [],
    guards: [],
    errors: ['limit-exceeded', 'operation-refused'],
  },
}

/**
 * The hooks of a model whose items a request reads on its way to, or beside, those that it is
 * about.
 */
export const readHooks: readonly HookName[] = operations.GetItem.hooks

/** The same where it answers with a list of them. */
export const listHooks: readonly HookName[] = [
  ...operations.GetList.guards,
  ...operations.GetList.hooks,
]

/** To change what an item relates to is to update the item. */
function relationshipOperation(own: HookName): OperationKind {
  return {
    scope: 'item',
    hooks: ['patch', 'update', own],
    guards: ['getItem'],
    errors: linkageErrors,
  }
}
