/**
 * The key under which a model carries the types that its queries need. It is for the compiler
 * alone: no value has it.
 */
export declare const queryTypes: unique symbol

/** What queries need to know of a model. */
export interface QueryTypes {
  /** The members that paths can begin with; null if paths can neither end nor pass through here. */
  readonly members: unknown
  /** An item, as a query returns it. */
  readonly storedValues: unknown
}

/** What carries the types of its queries. */
export interface Queryable<Types extends QueryTypes> {
  readonly [queryTypes]?: Types
}

/** A value that paths can neither end at nor pass through. */
export interface Opaque extends Queryable<{ members: null; storedValues: never }> {}

/** A to-one relation among the members: a path can end with it, or pass through to the item. */
export interface ToOneMember<Related> {
  readonly [queryTypes]: { readonly related: Related }
}

/** A to-many relation among the members: a path can end with it, and `some` looks at its items. */
export interface ToManyMember<Related> {
  readonly [queryTypes]: { readonly each: Related }
}

/** The types that a model carries for its queries; null if it carries none. */
export type QueryTypesOf<Model> = typeof queryTypes extends keyof Model
  ? NonNullable<Model[typeof queryTypes]>
  : null

/** The members of a model that carries them, or of any other object. */
export type MembersOf<Model> =
  QueryTypesOf<Model> extends { readonly members: infer Members } ? Members : Model

/**
 * The values of a stored item: members by the model's own names, relations as ids, hidden members
 * too.
 */
export type StoredValues = { readonly id: string; readonly [member: string]: unknown }

/** The values of an item of this model, as a query returns them. */
export type StoredValuesOf<Model> =
  QueryTypesOf<Model> extends { readonly storedValues: infer Values } ? Values : StoredValues
