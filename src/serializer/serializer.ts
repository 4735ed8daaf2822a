import type { Problem } from '../error/problem.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { ItemAnnotations, OutgoingItem } from './outgoing-item.ts'
import type { ItemPayload } from './payload.ts'

/** What an item document is read for: a new item may lack members that an existing one has. */
export type Purpose = 'create' | 'update' | 'replace'

/** What a document says beside its data. */
export interface DocumentFacts {
  /** The query string that was asked with, in the spelling of links; empty without one. */
  readonly query: string
  /** What addresses of items begin with: the base address and the mount path. */
  readonly urlPrefix: string
  /** The address of the document itself, without a query string. */
  readonly address: () => string
  /** Items, or their identifiers alone. */
  readonly content: 'items' | 'identifiers'
  /** The URIs of the profiles that the document follows. */
  readonly profiles: readonly string[]
  /**
   * By relation name (`next`, `prev`, …); null where there is no such page. Undefined for what is
   * not paged.
   */
  readonly pageLinks: Readonly<Record<string, string | null>> | undefined
  readonly total: number | undefined
  /** Whether a page between two places holds less than lies between them. */
  readonly isTruncated: boolean
}

/** The text around the items of a list, and around the included items of each model. */
export interface DocumentFrame {
  readonly open: string
  /** What stands in the place of the items where there are none. */
  readonly emptyItems: string
  readonly afterItems: string
  readonly includedOpen: string
  group(model: ModelDescription): { readonly open: string; readonly close: string }
  /** Do items of different models stand in one array, with commas between them? */
  readonly areGroupsJoined: boolean
  readonly includedClose: string
  readonly close: string
}

/** How a protocol says what is wrong. */
export interface ErrorSerializer {
  readonly errorMediaType: string
  /** The form of an error document. */
  readonly errorSchema: JsonSchema
  /**
   * @param untold how many more faults there are
   * @param baseUrl the service's own address, which links begin with; empty where none is given
   */
  writeErrors(status: number, problems: readonly Problem[], untold: number, baseUrl: string): string
}

/** How a protocol writes and reads documents. All functions are pure; texts are JSON. */
export interface Serializer extends ErrorSerializer {
  /** Of what is sent on success. */
  readonly mediaType: string
  /**
   * What leads to included items: `owned`, the relations that items hold; or `full`, inverse
   * relations too, which are then looked up before the items that have them are written.
   */
  readonly linkage: 'owned' | 'full'
  /**
   * Takes the protocol's form off an item document.
   * @throws ApiError with every fault of form, each with a pointer that exists in the document.
   */
  readItem(document: unknown, view: ModelView, purpose: Purpose): ItemPayload
  /** Are items that nothing changes sent as the texts they are stored as? */
  readonly sendsRawJson: boolean
  /** What stands between the items of a list. */
  readonly separator: ',' | '\n'
  /**
   * One item as it stands in a document.
   * @param base what addresses begin with: the base address and the mount path
   */
  writeItem(
    model: ModelDescription,
    item: OutgoingItem,
    base: string,
    remarks: ItemAnnotations,
  ): string
  /** An item by its identifier alone, as relations hold it. */
  writeIdentifier(model: ModelDescription, id: string, remarks: ItemAnnotations): string
  /** What an action gives, which is JSON. */
  writeOutput(text: string): string
  /** The text around one item, up to its included items. */
  itemFrame(model: ModelDescription, facts: DocumentFacts): DocumentFrame
  /** The text around a list. */
  listFrame(model: ModelDescription, facts: DocumentFacts): DocumentFrame
}

/** How a protocol writes what the operations of a batch came to. */
export interface BatchSerializer extends ErrorSerializer {
  /** Of what is sent on success. */
  readonly mediaType: string
  /**
   * @param items for each operation, in their order, its item as it stands in a document; undefined
   * where it has none to answer with
   */
  writeResults(items: readonly (string | undefined)[]): string
}
