import type { ErrorCode } from '../error/catalog.ts'
import type {
  ActionDescription,
  RelationField,
  ResourcePath,
  Variant,
} from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'
import type { BatchSerializer, Purpose, Serializer } from '../serializer/serializer.ts'
import type { BatchPayload } from './batch-payload.ts'
import type { RuleDeclaration } from './declaration.ts'
import type { MediaTypeParameters } from './media-type-parameters.ts'
import type { ModelOperation } from './operations.ts'
import type { QueryParameter } from './query-parameter.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** A body of one media type, for the document. */
export interface Content {
  readonly schema: JsonSchema
  /** A complete body. */
  readonly example?: unknown
  /** The schema of each item of a sequential media type (OpenAPI 3.2). */
  readonly itemSchema?: JsonSchema
  /** The encoding of the parts of a multipart body, by name. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
}

/** Bodies by media type. Called for documents only. */
export type Contents = () => Readonly<Record<string, Content>>

export const noContents: Contents = () => ({})

export interface BodyShape {
  readonly mediaTypes: readonly string[]
  /** One body for each media type. */
  readonly contents: Contents
  readonly parameters: MediaTypeParameters
}

export interface RelatingBody extends BodyShape {
  /** The error if a related item does not exist. */
  readonly missingRelatedError: ErrorCode
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
  readonly serializer: Serializer
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

/** The body of a request. */
export type RequestShape = NoRequest | ItemRequest | LinkageRequest | BytesRequest | InputRequest

/** Headers that only some responses have, in lower case. */
export type HeaderName =
  | 'accept-encoding'
  | 'accept-patch'
  | 'accept-ranges'
  | 'allow'
  | 'cache-control'
  | 'content-disposition'
  | 'content-length'
  | 'content-range'
  | 'content-security-policy'
  | 'etag'
  | 'link'
  | 'location'
  | 'repr-digest'
  | 'retry-after'
  | 'www-authenticate'

export type HeaderPresence = { readonly [name in HeaderName]?: 'always' | 'sometimes' }

/** Several operations in one body. */
export interface BatchRequest extends BodyShape {
  readonly kind: 'batch'
  /** The rules of its operations. */
  readonly rules: readonly ModelRule[]
  /** Reads the operations of a document, and finds the problems of its form. */
  read(document: unknown): BatchPayload<ModelRule>
}

export interface BaseResponseShape {
  readonly status: number
  readonly description: string
  readonly parameters: MediaTypeParameters
  readonly contents: Contents
  readonly headers: HeaderPresence
}

/** A successful response. */
export interface ResponseShape extends BaseResponseShape {
  readonly serializer: Serializer
  /** `resource`: the bytes of a binary resource; `output`: the output of an action. */
  readonly content: 'empty' | 'item' | 'list' | 'linkage' | 'resource' | 'output'
  /** The JSON Pointer of the id of the item, or of the first item of a list. */
  readonly idPointer?: string
  /** An alternative representation in another media type; `contents` has both. */
  readonly alternative?: Pick<ResponseShape, 'serializer'>
}

/** The results of the operations of a batch, in their order. */
export interface BatchResponse extends BaseResponseShape {
  readonly serializer: BatchSerializer
  readonly content: 'results'
  /** The status if no operation has a result. The response is then empty. */
  readonly emptyStatus: 204
}

export interface ErrorResponse {
  readonly status: number
  /** Undefined if an action declares only the status. */
  readonly code: ErrorCode | undefined
  readonly description: string
  readonly headers: HeaderPresence
}

/** The items of the rule's model. */
export interface ListTarget {
  readonly kind: 'list'
}

/** The item that the path names. */
export interface ItemTarget {
  readonly kind: 'item'
}

export interface BaseRelationTarget {
  /** The view of the item that the path names. */
  readonly owner: ModelView
  readonly relation: RelationField
}

/** The items behind a relation. */
export interface RelatedTarget extends BaseRelationTarget {
  readonly kind: 'related'
}

/** The identifiers that a relation holds. */
export interface LinkageTarget extends BaseRelationTarget {
  readonly kind: 'linkage'
}

export type RelationTarget = RelatedTarget | LinkageTarget

/** A binary resource of the item that the path names, or a variant of it. */
export interface ResourceTarget {
  readonly kind: 'resource'
  readonly path: ResourcePath
  readonly variant?: Variant
}

/** An action on the item that the path names. */
export interface ActionTarget {
  readonly kind: 'action'
  readonly action: ActionDescription
}

/** Operations on any of the items. */
export interface BatchTarget {
  readonly kind: 'batch'
}

/** What each operation is about. */
export interface TargetByOperation {
  GetList: ListTarget
  CreateItem: ListTarget
  GetItem: ItemTarget
  UpdateItem: ItemTarget
  ReplaceItem: ItemTarget
  DeleteItem: ItemTarget
  ItemMethodApiOperation: ActionTarget
  ItemApiOperation: ActionTarget
  GetResource: ResourceTarget
  SetResource: ResourceTarget
  DeleteResource: ResourceTarget
  RelatedGet: RelatedTarget
  RelationshipGet: LinkageTarget
  RelationshipPost: LinkageTarget
  RelationshipPatch: LinkageTarget
  RelationshipDelete: LinkageTarget
}

/** The body that each operation reads. A change of a linkage that is always refused reads none. */
export interface RequestByOperation {
  GetList: NoRequest
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
  RelatedGet: NoRequest
  RelationshipGet: NoRequest
  RelationshipPost: LinkageRequest | NoRequest
  RelationshipPatch: LinkageRequest | NoRequest
  RelationshipDelete: LinkageRequest | NoRequest
}

export interface BaseRule {
  readonly method: Method
  /** The path below the mount path: `/books/:id`; `:index` is an index of a list in the item. */
  readonly path: string
  readonly parameters: readonly QueryParameter[]
  readonly errorResponses: readonly ErrorResponse[]
  /** The declarations of the hooks of the operation. */
  readonly declarations: readonly RuleDeclaration[]
  readonly description?: string
  /** Undefined to make it of the method and the path. */
  readonly operationId?: string
}

/** A rule for one operation on the items of one model. */
export interface OperationRule<Name extends ModelOperation> extends BaseRule {
  readonly operation: Name
  /** The model whose items are in the response, and to which the parameters apply. */
  readonly view: ModelView
  readonly target: TargetByOperation[Name]
  readonly request: RequestByOperation[Name]
  readonly response: ResponseShape
  /**
   * Whether hooks run for it. Its responses may then differ from caller to caller, so shared caches
   * must not store them.
   */
  readonly isPersonal?: boolean
  /** Other successes, such as a replaced item that had to be created. */
  readonly otherResponses: readonly ResponseShape[]
}

/** An operation on the items of one model; `operation` says which target and which body it has. */
export type ModelRule = RuleOf<ModelOperation>

/** The rules of these operations, as a union. */
export type RuleOf<Names extends ModelOperation> = {
  [Name in Names]: OperationRule<Name>
}[Names]

/** Several operations in one request, which are all done or none. */
export interface BatchRule extends BaseRule {
  readonly operation: 'Batch'
  readonly target: BatchTarget
  readonly request: BatchRequest
  readonly response: BatchResponse
}

/**
 * One operation at one address. A policy creates it at registration; the router, the pipeline and
 * the OpenAPI document read it. It is frozen. `rule.operation` tells the kinds apart.
 */
export type Rule = ModelRule | BatchRule

/** The relation that a rule goes through; undefined for all other targets. */
export function relationTargetOf({
  target,
}: Pick<ModelRule, 'target'>): RelationTarget | undefined {
  return target.kind === 'related' || target.kind === 'linkage' ? target : undefined
}

/** The view of the model whose item, or whose collection, the path names. */
export function pathView(rule: Pick<ModelRule, 'view' | 'target'>): ModelView {
  return relationTargetOf(rule)?.owner ?? rule.view
}

/** The routing table, with one rule per line. */
export function printRules(rules: readonly Rule[]): string {
  return rules
    .map((rule) => `${rule.method.padEnd(6)} ${rule.path.padEnd(32)} ${rule.operation}`)
    .join('\n')
}
