import type { RelationField } from '../model/model-description.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { RawItem } from '../stored-item/stored-item.ts'

/** The identifiers a relation holds. */
export type Linkage = string | null | readonly string[]

/** A binary resource as items show it, with the address of its bytes. */
export interface LinkedResource extends BinaryResource {
  readonly href: string
}

/**
 * An item on its way out: as it is stored, or made anew where mappers, field sets or guards change
 * it.
 */
export type OutgoingItem =
  | { readonly kind: 'stored'; readonly item: RawItem }
  | {
      readonly kind: 'made'
      readonly id: string
      /** By wire name, in order. */
      readonly attributes: Readonly<Record<string, unknown>>
      /** Owned relations by wire name. */
      readonly relations: Readonly<Record<string, Linkage>>
      /** Binary resources by wire name; those inside values stand in `attributes`. */
      readonly resources: Readonly<Record<string, LinkedResource | null>>
      /** Inverse relations by wire name: the item does not hold them. */
      readonly inverses: readonly string[]
      /** The hash as a member; undefined when the model has none, or it is not chosen. */
      readonly hash: string | undefined
      /**
       * The hash as what is said about the item, whatever members are chosen; undefined when it is
       * not to be shown.
       */
      readonly version: string | undefined
    }

/** What is said about one item in a document beside what it is. */
export interface ItemAnnotations {
  /**
   * What its relations lead to, where the document says something else than what the item holds.
   */
  readonly collectedLinkage?: CollectedLinkage | undefined
  /** Its place in a paged list. */
  readonly cursor?: string | undefined
}

/**
 * What relations lead to, by the id of the item they belong to: of those that had to be looked up.
 */
export type CollectedLinkage = ReadonlyMap<RelationField, ReadonlyMap<string, OwnerLinkage>>

export type OwnerLinkage =
  /** To all that the item holds. */
  | { readonly kind: 'held' }
  | {
      readonly kind: 'told'
      readonly ids: ReadonlySet<string>
      readonly page: RelationshipPage | undefined
    }

/** Where the rest is, of a relation of which the document tells one page. */
export interface RelationshipPage {
  /** The query string that asks the relationship for this page. */
  readonly query: string
  /** The cursor behind which the next page begins; undefined where there is none. */
  readonly after: string | undefined
}
