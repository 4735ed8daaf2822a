import type { ErrorCode } from '../error/catalog.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'
import type { Purpose, Serializer } from '../serializer/serializer.ts'
import type { Contents } from './contents.ts'
import type { ItemLines } from './item-lines.ts'
import type { MediaTypeParameters } from './media-type-parameters.ts'

/** A body that a request may have. */
export interface BodyShape {
  readonly mediaTypes: readonly string[]
  /** One body for each media type. */
  readonly contents: Contents
  readonly parameters: MediaTypeParameters
}

/** The errors for a related item that does not exist, or that the caller may not see. */
export type MissingRelatedError = 'related-not-found' | 'related-missing'

export const missingRelatedErrors: readonly MissingRelatedError[] = [
  'related-not-found',
  'related-missing',
]

export interface RelatingBody extends BodyShape {
  /** The error if a related item does not exist. */
  readonly missingRelatedError: MissingRelatedError
  /** The errors of its reader, except those of any body. */
  readonly errors: readonly ErrorCode[]
}

/** A request without a body. */
export interface NoRequest {
  readonly kind: 'none'
}

/** An item. */
export interface ItemRequest extends RelatingBody {
  readonly kind: 'item'
  readonly purpose: Purpose
  /** Whether it can change inverse relations, which the related items hold. */
  readonly writesInverses: boolean
  readonly serializer: Serializer
  /** Bodies of several items; `mediaTypes` and `contents` have theirs too. Default: none. */
  readonly lines?: readonly ItemLines[]
}

/** The linkage of the relation in the path. */
export interface LinkageRequest extends RelatingBody {
  readonly kind: 'linkage'
  readonly read: (document: unknown) => ItemPayload
}

/** A binary resource: its raw bytes, or a form with a file part of this name. */
export interface BytesRequest {
  readonly kind: 'bytes'
  readonly mediaTypes: readonly string[]
  readonly contents: Contents
  readonly partName: string
  readonly maxBytes: number
}

/** The input of an action. The reader gets the media type of the body. */
export interface InputRequest extends RelatingBody {
  readonly kind: 'input'
  /** Whether the body may be missing. */
  readonly isOptional: boolean
  readonly read: (document: unknown, mediaType: string) => ActionPayload
}

/**
 * The parameters of a rule, as the query string would have them (RFC 10008). It is read before all
 * else, so operations never see it.
 */
export interface QueryRequest {
  readonly kind: 'query'
  readonly mediaTypes: readonly string[]
  readonly parameters: MediaTypeParameters
}

/** The body of a request. */
export type RequestShape =
  | NoRequest
  | ItemRequest
  | LinkageRequest
  | BytesRequest
  | InputRequest
  | QueryRequest

/** The body that each operation reads. A change of a linkage that is always refused reads none. */
export interface RequestByOperation {
  GetList: NoRequest | QueryRequest
  GetCapabilities: NoRequest
  GetChanges: NoRequest | QueryRequest
  GetGroups: NoRequest | QueryRequest
  CreateItem: ItemRequest
  GetItem: NoRequest
  UpdateItem: ItemRequest
  ReplaceItem: ItemRequest
  DeleteItem: NoRequest
  ItemMethodApiOperation: InputRequest
  ItemApiOperation: InputRequest
  GetResource: NoRequest
  SetResource: BytesRequest
  DeleteResource: NoRequest
  RelatedGet: NoRequest | QueryRequest
  RelationshipGet: NoRequest | QueryRequest
  RelationshipPost: LinkageRequest | NoRequest
  RelationshipPatch: LinkageRequest | NoRequest
  RelationshipDelete: LinkageRequest | NoRequest
  GetVersions: NoRequest
  GetVersion: NoRequest
  RestoreVersion: InputRequest
  GetTrash: NoRequest
  GetTrashedItem: NoRequest
  RestoreItem: InputRequest
  PurgeItem: NoRequest
}

/** What is read from each kind of body before the operation begins. */
interface PayloadByBody {
  none: undefined
  query: undefined
  item: ItemPayload
  linkage: ItemPayload
  /** The operation reads the bytes itself. */
  bytes: undefined
  input: ActionPayload
}

/**
 * The payload that each operation gets. A change of a linkage that is always refused reads none,
 * and looks at none.
 */
export type PayloadByOperation = {
  readonly [Name in keyof RequestByOperation]: PayloadByBody[BodyKind<RequestByOperation[Name]>]
}

type BodyKind<Request extends RequestShape> = [Request] extends [NoRequest]
  ? 'none'
  : Exclude<Request, NoRequest>['kind']
