import type { ActionDescription } from '../model/action-description.ts'
import type { RelationField, ResourcePath } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import type { Variant } from '../model/resource-field.ts'

/** The items of the rule's model. */
export interface ListTarget {
  readonly kind: 'list'
}

/** What the caller may do with the rule's model. */
export interface CapabilitiesTarget {
  readonly kind: 'capabilities'
}

/** What changed of the items of the rule's model. */
export interface ChangesTarget {
  readonly kind: 'changes'
}

/** The groups of the items of the rule's model. */
export interface GroupsTarget {
  readonly kind: 'groups'
}

/** The item that the path names. */
export interface ItemTarget {
  readonly kind: 'item'
}

export interface BaseRelationTarget {
  /** The view of the item that the path names. */
  readonly owner: ModelView
  readonly relation: RelationField
}

/** The items behind a relation. */
export interface RelatedTarget extends BaseRelationTarget {
  readonly kind: 'related'
}

/** The identifiers that a relation holds. */
export interface LinkageTarget extends BaseRelationTarget {
  readonly kind: 'linkage'
}

export type RelationTarget = RelatedTarget | LinkageTarget

/** A binary resource of the item that the path names, or a variant of it. */
export interface ResourceTarget {
  readonly kind: 'resource'
  readonly path: ResourcePath
  readonly variant?: Variant
}

/** An action on the item that the path names. */
export interface ActionTarget {
  readonly kind: 'action'
  readonly action: ActionDescription
}

/** The versions of the item that the path names. */
export interface VersionsTarget {
  readonly kind: 'versions'
}

/** A version, by its number, of the item that the path names. */
export interface VersionTarget {
  readonly kind: 'version'
}

/** The deleted items of the rule's model. */
export interface TrashTarget {
  readonly kind: 'trash'
}

/** The deleted item that the path names. */
export interface TrashedTarget {
  readonly kind: 'trashed'
}

/** Operations on any of the items. */
export interface BatchTarget {
  readonly kind: 'batch'
}

/** What changed of the items of several models. */
export interface FeedTarget {
  readonly kind: 'feed'
}

/** What each operation is about. */
export interface TargetByOperation {
  GetList: ListTarget
  GetCapabilities: CapabilitiesTarget
  GetChanges: ChangesTarget
  GetGroups: GroupsTarget
  CreateItem: ListTarget
  GetItem: ItemTarget
  UpdateItem: ItemTarget
  ReplaceItem: ItemTarget
  DeleteItem: ItemTarget
  ItemMethodApiOperation: ActionTarget
  ItemApiOperation: ActionTarget
  GetResource: ResourceTarget
  SetResource: ResourceTarget
  DeleteResource: ResourceTarget
  RelatedGet: RelatedTarget
  RelationshipGet: LinkageTarget
  RelationshipPost: LinkageTarget
  RelationshipPatch: LinkageTarget
  RelationshipDelete: LinkageTarget
  GetVersions: VersionsTarget
  GetVersion: VersionTarget
  RestoreVersion: VersionTarget
  GetTrash: TrashTarget
  GetTrashedItem: TrashedTarget
  RestoreItem: TrashedTarget
  PurgeItem: TrashedTarget
}
