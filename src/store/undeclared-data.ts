/**
 * What a store keeps although no model declares it: the items of a model, or a field or relation of
 * the items of a model.
 */
export type UndeclaredData =
  | { readonly kind: 'model'; readonly name: string; readonly itemCount: number }
  | {
      readonly kind: 'member'
      readonly name: string
      /** The collection, or the table, that has it. */
      readonly owner: string
      readonly itemCount: number
    }

export interface PruneOptions {
  /** Is it dropped? Else it is only counted. */
  readonly drops: boolean
}
