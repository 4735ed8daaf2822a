import type { ApiTypes } from './api-types.ts'
import type { List, ListQuery } from './list-types.ts'
import type { CallOptions, ItemQuery, Target } from './query-types.ts'
import type { AllFields, FieldsOf, ResultItem } from './result-types.ts'

/** Calls an action, and returns its output, or the item where it has none. */
export type ActionCall<Api extends ApiTypes, Plural extends keyof Api, Action> = <
  const Include extends Api[Plural]['include'] = never,
  const Fields extends FieldsOf<Api> = AllFields,
>(
  target: Target,
  ...rest: Action extends { readonly input: infer Input }
    ? [input: Input, query?: ItemQuery<Include, Fields>]
    : [input?: undefined, query?: ItemQuery<Include, Fields>]
) => Promise<
  Action extends { readonly output: infer Output }
    ? Output
    : ResultItem<Api, Plural, Include, Fields>
>

/** The calls of a relation to one item, or of one to many. */
export type RelationCalls<Api extends ApiTypes, Relation> = Relation extends {
  readonly many: infer Plural extends keyof Api
}
  ? ToManyCalls<Api, Plural>
  : Relation extends { readonly one: infer Plural extends keyof Api }
    ? ToOneCalls<
        Api,
        Plural,
        Relation extends { readonly isOptional: true } ? string | null : string
      >
    : never

/** The calls of a relation to many items. */
export interface ToManyCalls<Api extends ApiTypes, Plural extends keyof Api> {
  list<
    const Include extends Api[Plural]['include'] = never,
    const Fields extends FieldsOf<Api> = AllFields,
  >(
    target: Target,
    query?: ListQuery<Api[Plural], Include, Fields, never, never>,
  ): Promise<List<ResultItem<Api, Plural, Include, Fields>>>
  add(target: Target, ids: readonly string[], options?: CallOptions): Promise<void>
  remove(target: Target, ids: readonly string[], options?: CallOptions): Promise<void>
  /** Replaces all of them. */
  set(target: Target, ids: readonly string[], options?: CallOptions): Promise<void>
}

/** The calls of a relation to one item. */
export interface ToOneCalls<Api extends ApiTypes, Plural extends keyof Api, Id> {
  get<
    const Include extends Api[Plural]['include'] = never,
    const Fields extends FieldsOf<Api> = AllFields,
  >(
    target: Target,
    query?: ItemQuery<Include, Fields>,
  ): Promise<ResultItem<Api, Plural, Include, Fields> | null>
  set(target: Target, id: Id, options?: CallOptions): Promise<void>
}
