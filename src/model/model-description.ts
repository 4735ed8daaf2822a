import type { SortDirection } from '../query/query-plan.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { Schema } from '../schema/standard-schema.ts'
import type { OnDelete } from './declare/field.ts'
import type { AnyModel, IdSource } from './declare/model.ts'
import type { ResourceDefinition, VariantFormat } from './declare/resource.ts'
import type { ValueType } from './value-type.ts'

interface FieldBase {
  /** The member's name in the model's code, in plans and in stores. */
  readonly name: string
  /** The member's name for clients, and in the stored text. */
  readonly wireName: string
  readonly description: string | undefined
}

export interface ValueField extends FieldBase {
  readonly kind: 'value'
  readonly schema: Schema
  /** What clients send. */
  readonly input: JsonSchema
  /** What is stored and sent. */
  readonly output: JsonSchema
  readonly type: ValueType
  readonly examples: readonly unknown[]
  /** May the member be absent from what a client sends, and may it be absent from a stored item? */
  readonly isRequiredInRequest: boolean
  readonly isRequiredInResponse: boolean
  /** Does its schema take what it stores just as it stands, as far as it tells? */
  readonly hasSameInputAndOutput: boolean
  readonly visibility: 'visible' | 'hidden' | 'readOnly' | 'writeOnly'
  readonly isUnique: boolean
  readonly isIndexed: boolean
  readonly isFilterable: boolean
  readonly isSortable: boolean
  /** The binary resources inside the value; undefined where there are none. */
  readonly nestedResources: NestedResources | undefined
}

/** A form that an image is also offered in: at most `size` pixels wide and high. */
export interface Variant {
  readonly format: VariantFormat
  readonly size: number
}

/** A binary resource. The item holds what is known of it, and which blob keeps its bytes. */
export interface ResourceField extends FieldBase {
  readonly kind: 'resource'
  readonly media: ResourceDefinition['media']
  readonly maxBytes: number
  /** Undefined of what is no image. */
  readonly maxPixels: number | undefined
  /** Media types in lower case; an asterisk stands for any subtype, or any type. */
  readonly types: readonly string[]
  readonly variants: readonly Variant[]
  readonly visibility: 'visible' | 'hidden' | 'readOnly'
}

/** Where a value holds resources: the branches that lead to none are left out. */
export type NestedResources =
  | { readonly kind: 'resource'; readonly field: ResourceField }
  | { readonly kind: 'list'; readonly items: NestedResources }
  | { readonly kind: 'struct'; readonly members: ReadonlyMap<string, NestedResources> }

/**
 * One place of a model's items where resources are, in the item itself or inside one of its values.
 */
export interface ResourcePath {
  /** The member of the item that is it or holds it. */
  readonly itemField: ResourceField | ValueField
  readonly field: ResourceField
  /** By wire names, with `*` for every item of a list: `['editions', '*', 'scan']`. */
  readonly segments: readonly string[]
}

interface RelationBase extends FieldBase {
  /** What examples relate to; the target's own example unless given. */
  readonly example: string | readonly string[] | undefined
}

export interface ToOneField extends RelationBase {
  readonly kind: 'toOne'
  readonly relatedModel: ModelDescription
  readonly isOptional: boolean
  readonly onDelete: OnDelete
}

/** A relation to many whose identifiers the item holds itself. */
export interface ToManyField extends RelationBase {
  readonly kind: 'toMany'
  readonly relatedModel: ModelDescription
  /** May clients replace all that it holds at once? */
  readonly isReplaceable: boolean
}

/** The other side of a relation: derived, never stored. */
export interface InverseField extends RelationBase {
  readonly kind: 'inverse'
  readonly relatedModel: ModelDescription
  readonly isReplaceable: boolean
  /** The target's relation that leads here. */
  readonly inverseOf: ToOneField | ToManyField
}

export interface HashField extends FieldBase {
  readonly kind: 'hash'
}

export type RelationField = ToOneField | ToManyField | InverseField
export type ManyRelation = ToManyField | InverseField
/** A relation that the item itself holds, as identifiers. */
export type OwnedRelation = ToOneField | ToManyField
export type FieldDescription = ValueField | ResourceField | RelationField | HashField

/** A relation of some model that leads to this one, with the model that holds it. */
export interface InboundRelation {
  readonly owner: ModelDescription
  readonly relation: OwnedRelation
}

/** A field that an index is ordered by. */
export interface IndexKey {
  readonly field: ValueField | ToOneField
  readonly direction: SortDirection
}

/** An index over several fields: by the first, among equals by the next, and last by the id. */
export interface IndexDescription {
  readonly keys: readonly IndexKey[]
}

/** What an action takes or gives. */
export interface ActionValue {
  readonly schema: Schema
  /** What is sent, or what is answered, as JSON Schema. */
  readonly jsonSchema: JsonSchema
}

/** Something to be done with one item, at an address of its own below the item's. */
export interface ActionDescription {
  /** The last segment of its path. */
  readonly name: string
  readonly description: string | undefined
  /** A method of the model's class, or a function that was registered beside it. */
  readonly run:
    | { readonly kind: 'method' }
    | { readonly kind: 'callable'; readonly callable: (context: never) => unknown }
  /** Whether it is known, before it is called, that it returns a promise. */
  readonly isAsync: boolean
  /** Undefined where nothing may be sent. */
  readonly input: ActionValue | undefined
  /** Undefined where the item is the answer. */
  readonly output: ActionValue | undefined
  /** Given where it was declared with an id of its own. */
  readonly operationId: string | undefined
  /** The errors that it says it answers itself. */
  readonly responses: readonly { readonly status: number; readonly description: string }[]
}

/** A registered model: checked, linked to the models it relates to, and frozen. */
export interface ModelDescription {
  /** The singular, and the key of one item. */
  readonly name: string
  /** The collection's path segment, its list key and its JSON:API type. */
  readonly plural: string
  readonly model: AnyModel
  readonly description: string | undefined
  readonly ids: IdSource
  readonly allowsUpsert: boolean
  readonly requiresIfMatch: boolean
  /** Of an item that examples may name. */
  readonly exampleId: string | undefined
  /** In the order of declaration. */
  readonly fields: readonly FieldDescription[]
  readonly fieldsByName: ReadonlyMap<string, FieldDescription>
  readonly fieldsByWireName: ReadonlyMap<string, FieldDescription>
  readonly valueFields: readonly ValueField[]
  /** The fields that are resources; `slots` are all places of resources, inside values too. */
  readonly resourceFields: readonly ResourceField[]
  readonly resourcePaths: readonly ResourcePath[]
  readonly relations: readonly RelationField[]
  readonly ownedRelations: readonly OwnedRelation[]
  readonly inboundRelations: readonly InboundRelation[]
  readonly hashField: HashField | undefined
  readonly indexes: readonly IndexDescription[]
  /** Of its class. */
  readonly actions: readonly ActionDescription[]
}
