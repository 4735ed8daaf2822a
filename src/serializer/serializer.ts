import type { Problem } from '../error/problem.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { OutgoingGroups } from './outgoing-groups.ts'
import type { ItemAnnotations, OutgoingItem } from './outgoing-item.ts'
import type { ItemPayload } from './payload.ts'

/** What an item document is read for: a new item may lack members that an existing one has. */
export type Purpose = 'create' | 'update' | 'replace'

/** What a document says besides its data. */
export interface DocumentFacts {
  /**
   * The canonical query string of the request; empty without one. Undefined for a query that is too
   * long for links.
   */
  readonly query: string | undefined
  /** The base URL and the mount path, with which addresses of items begin. */
  readonly urlPrefix: string
  /** The address of the document, without a query string. */
  readonly address: () => string
  /** Whether the document holds items, or their identifiers only. */
  readonly content: 'items' | 'identifiers'
  /** The URIs of the profiles that the document follows. */
  readonly profiles: readonly string[]
  /**
   * By relation name (`next`, `prev`, …); null where that page does not exist. Undefined without
   * pagination, and for a query that is too long for links.
   */
  readonly pageLinks: Readonly<Record<string, string | null>> | undefined
  /**
   * In place of links to pages: what the query has to have as its `page` parameters for each of
   * them, percent-encoded. Undefined where there are links.
   */
  readonly pageParameters: Readonly<Record<string, string | null>> | undefined
  readonly total: number | undefined
  /** JSON members of `meta` about all pages, such as `"aggregates":{}`; empty without any. */
  readonly summary: string
  /** Whether a page between two cursors holds fewer items than lie between them. */
  readonly isTruncated: boolean
  /** The wire names of the members that the client chose; undefined for all of them. */
  readonly members: ReadonlySet<string> | undefined
  /** JSON of what the caller may do with the item; undefined if the document does not tell. */
  readonly can: string | undefined
}

/** The text around the items of a list, and around the included items of each model. */
export interface DocumentFrame {
  readonly open: string
  /** Written in place of the items of an empty list. */
  readonly emptyItems: string
  readonly afterItems: string
  readonly includedOpen: string
  group(model: ModelDescription): { readonly open: string; readonly close: string }
  /** Whether items of different models share one array, with commas between them. */
  readonly areGroupsJoined: boolean
  readonly includedClose: string
  readonly close: string
}

/** Writes error documents of a protocol. */
export interface ErrorSerializer {
  readonly errorMediaType: string
  /** The schema of an error document. */
  readonly errorSchema: JsonSchema
  /**
   * @param omittedCount problems that the document does not list
   * @param baseUrl the service's own address, with which links begin; empty if not configured
   */
  writeErrors(
    status: number,
    problems: readonly Problem[],
    omittedCount: number,
    baseUrl: string,
  ): string
}

/** Writes and reads documents of a protocol. All functions are pure; texts are JSON. */
export interface Serializer extends ErrorSerializer {
  /** The media type of successful responses. */
  readonly mediaType: string
  /**
   * The relations that lead to included items: `owned`, those that items hold; or `full`, inverse
   * relations too. These are looked up before the items that have them are written.
   */
  readonly linkage: 'owned' | 'full'
  /**
   * Reads an item document.
   * @throws ApiError with every problem of form, each with a pointer that exists in the document
   */
  readItem(document: unknown, view: ModelView, purpose: Purpose): ItemPayload
  /** Whether unchanged items are sent as the JSON texts that the store keeps. */
  readonly sendsRawJson: boolean
  /** The text between the items of a list. */
  readonly separator: ',' | '\n' | '\r\n'
  /**
   * One item as a part of a document.
   * @param base the base URL and the mount path
   */
  writeItem(
    model: ModelDescription,
    item: OutgoingItem,
    base: string,
    annotations: ItemAnnotations,
  ): string
  /** The identifier of an item, as relations hold it. */
  writeIdentifier(model: ModelDescription, id: string, annotations: ItemAnnotations): string
  /** The output of an action, as JSON. */
  writeOutput(text: string): string
  /** The groups of a list. */
  writeGroups(groups: OutgoingGroups, facts: DocumentFacts): string
  /** The text around one item, up to its included items. */
  itemFrame(model: ModelDescription, facts: DocumentFacts): DocumentFrame
  /** The text around a list. */
  listFrame(model: ModelDescription, facts: DocumentFacts): DocumentFrame
}

/** Writes the results of a batch. */
export interface BatchSerializer extends ErrorSerializer {
  /** The media type of successful responses. */
  readonly mediaType: string
  /**
   * @param items the text of each operation's item, in the order of operations; undefined where an
   * operation has no item to return
   */
  writeResults(items: readonly (string | undefined)[]): string
}
