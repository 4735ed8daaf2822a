import type { Scalar, SearchedField, SortDirection } from '../query/query-plan.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { SchemaCodec } from '../schema/schema-codec.ts'
import type { Schema } from '../schema/standard-schema.ts'
import type { ActionDescription } from './action-description.ts'
import type { Backfill } from './declare/backfill.ts'
import type { DerivedDeclaration } from './declare/derived-declaration.ts'
import type { Timestamp } from './declare/field.ts'
import type { AnyModel, IdSource, ItemCheck } from './declare/model.ts'
import type { OnDelete } from './declare/relation.ts'
import type { ValueFromRequest } from './declare/request-context.ts'
import type { RollupDeclaration } from './declare/rollup-declaration.ts'
import type { FieldBase } from './field-base.ts'
import type { NestedResources, ResourceField } from './resource-field.ts'
import type { ColumnStorage, JoinTableStorage, ModelStorage, VersionStorage } from './storage.ts'
import type { ValueType } from './value-type.ts'

export interface ValueField extends FieldBase {
  readonly kind: 'value'
  /** Of the value as JSON, which is what clients send and stores keep. */
  readonly schema: Schema
  /** Undefined where code sees the value as it is stored. */
  readonly codec: SchemaCodec | undefined
  /** The schema of the value in requests. */
  readonly input: JsonSchema
  /** The schema of the stored value and of the value in responses. */
  readonly output: JsonSchema
  readonly type: ValueType
  readonly examples: readonly unknown[]
  readonly isRequiredInRequest: boolean
  readonly isRequiredInResponse: boolean
  /** May stored items lack the value although new items need one? */
  readonly allowsMissing: boolean
  /** Does the schema accept a stored value unchanged, as far as JSON Schema can tell? */
  readonly hasSameInputAndOutput: boolean
  /** Makes the value of stored items that have none, once. */
  readonly backfill: Backfill | undefined
  readonly visibility: 'visible' | 'hidden' | 'readOnly' | 'writeOnly'
  /** Makes the value of a new item from the request; undefined if nothing does. */
  readonly from: ValueFromRequest | undefined
  readonly isImmutable: boolean
  /** What the service sets it to; undefined if it does not. */
  readonly timestamp: Timestamp | undefined
  /** What makes its value, which neither clients nor code set; undefined if they do. */
  readonly computed: ComputedValue | undefined
  readonly isUnique: boolean
  readonly isIndexed: boolean
  readonly isFilterable: boolean
  readonly isSortable: boolean
  /** The binary resources inside the value; undefined if it has none. */
  readonly nestedResources: NestedResources | undefined
  readonly storage: ColumnStorage
}

/** What makes the value of a computed field. */
export type ComputedValue = DerivedValue | RollupValue

/** A value that a function makes of other members of the item, at every write. */
export interface DerivedValue extends DerivedDeclaration {
  /** The schema of the value as it is stored. That of the field allows that there is none. */
  readonly schema: Schema
}

/** A value that the items of a relation have together, kept by their writes. */
export interface RollupValue
  extends Pick<RollupDeclaration, 'kind' | 'function' | 'countsHidden' | 'version'> {
  readonly relation: InverseField
  /** What is added up or compared; undefined for the number of items. */
  readonly source: ValueField | undefined
}

/** A field whose value the items of a relation make. */
export type RollupField = ValueField & { readonly computed: RollupValue }

/** A field whose values code sees in another form than stores. */
export type CodedField = ValueField & { readonly codec: SchemaCodec }

/** A field whose value is made of other members. */
export type DerivedField = ValueField & { readonly computed: DerivedValue }

/** A field that the service sets to the time of a write. */
export type TimestampField = ValueField & { readonly timestamp: Timestamp }

/** The path of a resource in the items of a model: a field, or a member of a value. */
export interface ResourcePath {
  /** The field of the item that is the resource or contains it. */
  readonly itemField: ResourceField | ValueField
  readonly field: ResourceField
  /** Wire names, with `*` for every item of a list: `['editions', '*', 'scan']`. */
  readonly segments: readonly string[]
}

export interface RelationBase extends FieldBase {
  /** Ids for examples; undefined to use the example of the related model. */
  readonly example: string | readonly string[] | undefined
}

export interface ToOneField extends RelationBase {
  readonly kind: 'toOne'
  readonly relatedModel: ModelDescription
  readonly isOptional: boolean
  /** May stored items relate to none although new items need the relation? */
  readonly allowsMissing: boolean
  /** Does only the service set it? */
  readonly isReadOnly: boolean
  /** Makes the id of a new item from the request; undefined if nothing does. */
  readonly from: ValueFromRequest | undefined
  readonly isImmutable: boolean
  readonly onDelete: OnDelete
  readonly storage: ColumnStorage
}

/** A to-many relation whose ids the item stores. */
export interface ToManyField extends RelationBase {
  readonly kind: 'toMany'
  readonly relatedModel: ModelDescription
  /** Can clients replace the whole relation? */
  readonly isReplaceable: boolean
  readonly storage: JoinTableStorage
}

/** The other side of a relation. It is derived, never stored. */
export interface InverseField extends RelationBase {
  readonly kind: 'inverse'
  readonly relatedModel: ModelDescription
  readonly isReplaceable: boolean
  /** The relation of the related model that leads here. */
  readonly inverseOf: ToOneField | ToManyField
}

export interface HashField extends FieldBase {
  readonly kind: 'hash'
  readonly storage: VersionStorage
}

export type RelationField = ToOneField | ToManyField | InverseField
export type ManyRelation = ToManyField | InverseField
/** A relation whose ids the item stores. */
export type OwnedRelation = ToOneField | ToManyField
export type FieldDescription = ValueField | ResourceField | RelationField | HashField

/** A relation of any model that leads to this one, with the model that stores it. */
export interface InboundRelation {
  readonly owner: ModelDescription
  readonly relation: OwnedRelation
}

export interface IndexKey {
  readonly field: ValueField | ToOneField
  readonly direction: SortDirection
}

/** An index over several fields. The id is always its last key. */
export interface IndexDescription {
  readonly keys: readonly IndexKey[]
}

/** Fields whose values are unique together. An item with null in one of them is unique. */
export interface UniqueSet {
  readonly fields: readonly (ValueField | ToOneField)[]
  /** The values of the items that the set is about; empty for all items. */
  readonly where: readonly UniqueCondition[]
}

/**
 * Items with the same values in the fields must not overlap. The end of a range is not part of it,
 * and null is no bound. An item is not concerned that has null in one of the fields, or no bounds.
 */
export interface UniqueRange extends UniqueSet {
  readonly from: ValueField
  readonly to: ValueField
}

/** The fields that a range is about, without those of its condition. */
export function fieldsOfRange({
  fields,
  from,
  to,
}: Pick<UniqueRange, 'fields' | 'from' | 'to'>): UniqueRange['fields'] {
  return [...fields, from, to]
}

export interface UniqueCondition {
  readonly field: ValueField
  /** Null for items without a value. */
  readonly value: Scalar
}

/** How long the service keeps what is no longer current. */
export interface Retention {
  /** In milliseconds; undefined for as long as the item stays. */
  readonly keepMs: number | undefined
}

/** From when on nobody changes or deletes an item. */
export interface Immutability {
  /** What a stored item has from then on; empty for all items. */
  readonly where: readonly ImmutableCondition[]
  /** The names of the fields that may still change. */
  readonly exceptions: ReadonlySet<string>
}

/** The field has one of the values; with `isNegated`, none of them. Null is no value. */
export interface ImmutableCondition {
  readonly field: ValueField
  readonly values: readonly Scalar[]
  readonly isNegated: boolean
}

/** A registered model: checked, linked to the related models, and frozen. */
export interface ModelDescription {
  /** The singular; the member of a single item in documents. */
  readonly name: string
  /** The path segment of the collection, its list key and its JSON:API type. */
  readonly plural: string
  readonly model: AnyModel
  /** Does a class extend the model, whose getters and methods can read the item? */
  readonly hasOwnClass: boolean
  readonly description: string | undefined
  readonly ids: IdSource
  readonly allowsUpsert: boolean
  readonly requiresIfMatch: boolean
  /** Are there no operations that write its items? */
  readonly isReadOnly: boolean
  readonly exampleId: string | undefined
  /** In the order of declaration. */
  readonly fields: readonly FieldDescription[]
  readonly fieldsByName: ReadonlyMap<string, FieldDescription>
  readonly fieldsByWireName: ReadonlyMap<string, FieldDescription>
  readonly valueFields: readonly ValueField[]
  readonly resourceFields: readonly ResourceField[]
  /** All resources, also those inside values. */
  readonly resourcePaths: readonly ResourcePath[]
  readonly relations: readonly RelationField[]
  readonly ownedRelations: readonly OwnedRelation[]
  readonly inboundRelations: readonly InboundRelation[]
  readonly hashField: HashField | undefined
  readonly indexes: readonly IndexDescription[]
  /** Without unique fields, which say so themselves (`isUnique`). */
  readonly uniqueSets: readonly UniqueSet[]
  readonly uniqueRanges: readonly UniqueRange[]
  readonly storage: ModelStorage
  /** The check of a whole item; undefined if the model has none. */
  readonly check: ItemCheck | undefined
  /** What it requires, in words. */
  readonly checkDescription: string | undefined
  /** Undefined if items can always be changed. */
  readonly immutability: Immutability | undefined
  readonly changeLogging: ChangeLogging
  readonly immutableFields: readonly (ValueField | ToOneField)[]
  /** Those with a codec. */
  readonly codedFields: readonly CodedField[]
  /** Those of `timestamps()`. */
  readonly timestampFields: readonly TimestampField[]
  /** Those of `derived()`, each after those that it is made of. */
  readonly derivedFields: readonly DerivedField[]
  /** Those of `rollup()`. */
  readonly rollupFields: readonly RollupField[]
  /** Relations that only the service sets, and fields that it sets from the request. */
  readonly serviceFields: readonly (ValueField | ToOneField)[]
  /** The actions of its class. */
  readonly actions: readonly ActionDescription[]
  /** Undefined if former versions of items are not kept. */
  readonly history: Retention | undefined
  /** Undefined if deleted items are not kept. */
  readonly trash: Retention | undefined
  /** What clients may add up and group by: dotted names. Empty if lists have neither. */
  readonly aggregated: ReadonlySet<string>
  /** The texts that clients search, the most important ones first. Empty if they search none. */
  readonly searched: readonly SearchedField[]
  /** The texts in its items in which this or another model searches. */
  readonly searchedTexts: readonly SearchedText[]
}

/** A text of a field, or of a member of its struct. */
export interface SearchedText {
  readonly field: ValueField
  readonly members: readonly string[]
}

/** Are changes of its items in the log of changes? */
export type ChangeLogging =
  /** As the router says. */
  | { readonly kind: 'default' }
  | { readonly kind: 'never' }
  | {
      readonly kind: 'always'
      /** Undefined for as long as the router says. */
      readonly keepDays: number | undefined
      /** Who logs what other programs write. */
      readonly capture: 'none' | 'triggers'
    }

/** A description under construction. */
export type Draft<T> = { -readonly [K in keyof T]: T[K] }

/** Is its value made of other members? */
export function isDerivedField(field: ValueField): field is DerivedField {
  return field.computed?.kind === 'derived'
}
