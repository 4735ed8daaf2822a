import type { BoundOf } from '../query/iquery.ts'
import type { IsUnknown, PathEnd, PathStep } from '../query/query-path.ts'
import type { Scalar } from '../query/query-plan.ts'
import type { MembersOf } from '../query/query-types.ts'
import type { AccessCondition } from './access-condition.ts'

/** For the compiler alone: what a symbol stands for. */
export declare const symbolValue: unique symbol

/** Stands for a value of the item or of the caller. No value has the key. */
export interface ValueSymbol<Value> {
  readonly [symbolValue]?: Value
}

/** Stands for the time of the request, to compare dates and date-times with. */
export interface NowSymbol extends ValueSymbol<string> {}

/** A value to compare with, or a member of the caller that holds one. */
export type ComparedValue<Value> = Value | ValueSymbol<BoundOf<Value>> | null
/** Values to compare with, or a member of the caller that holds them. */
export type ComparedList<Value> = readonly Value[] | ValueSymbol<readonly BoundOf<Value>[]>

/** Compares one value with another, or with one of the caller. */
export interface ScalarSymbol<Value> extends ValueSymbol<Value> {
  equal(value: ComparedValue<Value>): AccessCondition
  notEqual(value: ComparedValue<Value>): AccessCondition
  greaterThan(value: ComparedValue<Value>): AccessCondition
  greaterThanOrEqual(value: ComparedValue<Value>): AccessCondition
  lessThan(value: ComparedValue<Value>): AccessCondition
  lessThanOrEqual(value: ComparedValue<Value>): AccessCondition
  /** It is one of the values. */
  anyOf(values: ComparedList<Value>): AccessCondition
  /** It is none of the values. */
  noneOf(values: ComparedList<Value>): AccessCondition
  /** It has no value. */
  isNull(): AccessCondition
}

/** Compares one text. */
export interface TextSymbol<Value> extends ScalarSymbol<Value> {
  startsWith(text: string | ValueSymbol<string>): AccessCondition
  endsWith(text: string | ValueSymbol<string>): AccessCondition
  containsText(text: string | ValueSymbol<string>): AccessCondition
}

/** Looks for values in an array, or for ids in a to-many relation. */
export interface ListSymbol<Value> extends ValueSymbol<readonly Value[]> {
  contains(value: Value | ValueSymbol<BoundOf<Value>>): AccessCondition
  containsAny(values: ComparedList<Value>): AccessCondition
  containsAll(values: ComparedList<Value>): AccessCondition
}

/** Looks at the items of a to-many relation. */
export interface RelatedSymbol<Related> {
  /**
   * The condition holds for at least one of the related items, as they are stored: whether the
   * caller sees them does not matter. The condition names the related item and the caller; it
   * cannot hold another `some`.
   *
   * Negated, it holds for none of them, and the caller has all values that it names.
   *
   * ```ts
   * class Membership extends model('membership', { person: toOne('person') }) {}
   * class Team extends model('team', { members: toMany<Membership>('membership') }) {}
   *
   * const rules: AccessCallback<Team, { id: string }> = ({ item, caller }) => ({
   *   read: item.members.some((membership) => membership.person.equal(caller.id)),
   * })
   * ```
   *
   * @throws TypeError for a condition that names the item itself, or holds another `some`
   */
  some(condition: (related: ItemSymbol<Related>) => AccessCondition): AccessCondition
}

/** Stands for the item of a model: its members are paths, also through to-one relations. */
export type ItemSymbol<Model> =
  IsUnknown<MembersOf<Model>> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: nothing is known of the model
      any
    : MembersOf<Model> extends infer Members
      ? { readonly id: TextSymbol<string> } & {
          readonly [Name in keyof Members & string]: SymbolOf<Members[Name]>
        }
      : never

/** Stands for a member of the item. */
export type SymbolOf<Member> =
  PathStep<Member> extends infer Step
    ? (Step extends PathEnd<'one', infer Value> ? OneSymbol<Value> : unknown) &
        (Step extends PathEnd<'many', infer Value> ? ListSymbol<Value> : unknown) &
        (Step extends { readonly each: infer Related } ? RelatedSymbol<Related> : unknown) &
        (Step extends { readonly behind: infer Behind } ? ItemSymbol<Behind> : unknown)
    : never

/** Stands for one value. Brackets, so that a union such as an enum stays one. */
export type OneSymbol<Value> = [Value] extends [string] ? TextSymbol<Value> : ScalarSymbol<Value>

/** Stands for the caller: its members are paths into what the authenticators gave. */
export type CallerSymbol<Caller> = unknown extends Caller
  ? // biome-ignore lint/suspicious/noExplicitAny: nothing is known of the caller
    any
  : { readonly [Name in keyof Caller & string]-?: CallerMember<NonNullable<Caller[Name]>> }

/** Stands for a member of the caller. An enum stays one; a text with a brand is any text. */
export type CallerMember<Value> = [Value] extends [string]
  ? TextSymbol<Record<never, never> extends Record<Value, 1> ? string : Value>
  : [Value] extends [Scalar]
    ? ScalarSymbol<Value>
    : [Value] extends [readonly (infer Each)[]]
      ? ListSymbol<
          [Each] extends [string]
            ? Record<never, never> extends Record<Each, 1>
              ? string
              : Each
            : Each
        >
      : CallerSymbol<Value>
