import type { RelationField } from '../model/model-description.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { RawItem } from '../stored-item/stored-item.ts'

/** The ids that a relation holds. */
export type Linkage = string | null | readonly string[]

/** A binary resource as items show it, with the address of its bytes. */
export interface LinkedResource extends BinaryResource {
  readonly href: string
}

/** An item to be sent: as it is stored, or mapped where mappers, field sets or guards change it. */
export type OutgoingItem =
  | { readonly kind: 'stored'; readonly item: RawItem }
  | {
      readonly kind: 'mapped'
      readonly id: string
      /** By wire name, in order. */
      readonly attributes: Readonly<Record<string, unknown>>
      /** Owned relations by wire name. */
      readonly relations: Readonly<Record<string, Linkage>>
      /** Binary resources by wire name; those inside values stand in `attributes`. */
      readonly resources: Readonly<Record<string, LinkedResource | null>>
      /** Inverse relations by wire name. The item does not hold their ids. */
      readonly inverses: readonly string[]
      /** The hash as a member; undefined if the model has none, or the client did not choose it. */
      readonly hash: string | undefined
      /**
       * The hash as a fact about the item, whatever members the client chose; undefined if it is
       * hidden.
       */
      readonly version: string | undefined
    }

/** What a document says about an item besides its members. */
export interface ItemAnnotations {
  /** The linkage of relations for which the document does not show the stored ids. */
  readonly collectedLinkage?: CollectedLinkage | undefined
  /** The wire names of the members that the client chose. Default: all of them. */
  readonly members?: ReadonlySet<string> | undefined
  /** The item's cursor in a paged list. */
  readonly cursor?: string | undefined
}

export const noAnnotations: ItemAnnotations = Object.freeze({})

/** The linkage that was looked up, by relation and id of the owner. */
export type CollectedLinkage = ReadonlyMap<RelationField, ReadonlyMap<string, OwnerLinkage>>

export type OwnerLinkage =
  /** All ids that the item holds. */
  | { readonly kind: 'stored' }
  | {
      readonly kind: 'collected'
      readonly ids: ReadonlySet<string>
      readonly page: RelationshipPage | undefined
    }

/** The next page of a relation of which the document shows one page. */
export interface RelationshipPage {
  /** The query string that requests this page from the relationship. */
  readonly query: string
  /** The cursor of the next page; undefined on the last one. */
  readonly after: string | undefined
}
