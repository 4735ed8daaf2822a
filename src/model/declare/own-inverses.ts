import type { OwnedRelationIn } from './fields-of.ts'
import type { Fields, StoredKeys } from './item.ts'

/**
 * What `model()` demands of inverse relations that lead back to the model itself: they name a
 * relation that it stores.
 */
export type OwnInverses<Name extends string, F extends Fields> = {
  [K in Exclude<keyof F, StoredKeys<F>>]: F[K] extends { readonly relatedModelName: Name }
    ? { readonly options: { readonly inverse: OwnedRelationIn<F> } }
    : unknown
}
