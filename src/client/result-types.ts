import type { ApiTypes, RelationTypes } from './api-types.ts'

/** For each model, the fields that items have; all where a model is not named. */
export type FieldsOf<Api extends ApiTypes> = {
  readonly [Plural in keyof Api]?: readonly (keyof Api[Plural]['item'] & string)[]
}

/** No choice: items have all of their fields. */
export type AllFields = Readonly<Record<never, never>>

/** An item with the chosen fields, and with included items in the place of their ids. */
export type ResultItem<
  Api extends ApiTypes,
  Plural extends keyof Api,
  Include extends string,
  Fields,
> = [Include] extends [never]
  ? ChosenItem<Api[Plural]['item'], Plural, Fields>
  : Flat<
      Omit<ChosenItem<Api[Plural]['item'], Plural, Fields>, FirstOf<Include>> &
        Included<Api, Api[Plural]['relations'], Include, Fields>
    >

/** An item with the chosen fields, and with ids in the place of related items. */
export type ChosenItem<Item, Plural extends PropertyKey, Fields> = Fields extends {
  readonly [Name in Plural]: readonly (infer Name)[]
}
  ? Pick<Item, Extract<keyof Item, Name | 'id'>>
  : Item

/** The related items of the paths, by the relations that these begin with. */
export type Included<
  Api extends ApiTypes,
  Relations extends Readonly<Record<string, RelationTypes>>,
  Include extends string,
  Fields,
> = {
  [Name in FirstOf<Include> & keyof Relations & string]: Related<
    Api,
    Relations[Name],
    RestOf<Include, Name>,
    Fields
  >
}

/** What stands in the place of an id. */
export type Related<
  Api extends ApiTypes,
  Relation,
  Include extends string,
  Fields,
> = Relation extends {
  readonly many: infer Plural extends keyof Api
}
  ? ResultItem<Api, Plural, Include, Fields>[]
  : Relation extends { readonly one: infer Plural extends keyof Api }
    ?
        | ResultItem<Api, Plural, Include, Fields>
        | (Relation extends { readonly isOptional: true } ? null : never)
    : never

/** The relations that the paths begin with. */
export type FirstOf<Path extends string> = Path extends `${infer First}.${string}` ? First : Path

/** What follows one of these relations. */
export type RestOf<
  Path extends string,
  First extends string,
> = Path extends `${First}.${infer Rest}` ? Rest : never

/** One object type instead of an intersection, as editors show it. */
export type Flat<Type> = { [Name in keyof Type]: Type[Name] }
