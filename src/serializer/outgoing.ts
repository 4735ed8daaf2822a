import type { StoredItem } from '../store/stored-item.ts'

/** The identifiers a relation holds. */
export type Linkage = string | null | readonly string[]

/** An item on its way out: as it is stored, or made anew where mappers, field sets or guards change it. */
export type Outgoing =
  | { readonly kind: 'stored'; readonly item: StoredItem }
  | {
      readonly kind: 'made'
      readonly id: string
      /** By wire name, in order. */
      readonly attributes: Readonly<Record<string, unknown>>
      /** Owned relations by wire name. */
      readonly relations: Readonly<Record<string, Linkage>>
      /** Undefined when the model has none, or it is not to be shown. */
      readonly hash: string | undefined
    }
