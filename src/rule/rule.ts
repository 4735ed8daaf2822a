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

/** What a body of one media type looks like, for the document. */
export interface Content {
  readonly schema: JsonSchema
  /** A body that can be sent as it is. */
  readonly example?: unknown
  /**
   * What each item looks like, where the body is nothing but items one after the other (OpenAPI
   * 3.2, sequential media types).
   */
  readonly itemSchema?: JsonSchema
  /** How the parts of a multipart body are written, by part. */
  readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
}

/**
 * Bodies by media type; none where nothing is sent. Made when they are asked for: only documents
 * need them.
 */
export type Contents = () => Readonly<Record<string, Content>>

/** Nothing is sent. */
export const noContents: Contents = () => ({})

/** What all bodies have in common. */
interface BodyShape {
  readonly mediaTypes: readonly string[]
  /** One for each of the media types. */
  readonly contents: Contents
  readonly parameters: MediaTypeParameters
}

interface RelatingBody extends BodyShape {
  /** What is said where the body relates to an item that is not there. */
  readonly missingRelatedError: ErrorCode
  /** What its reader refuses, beside what is no document at all. */
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

/** The identifiers of the relation that the rule is about. */
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

/** Headers that answers carry for what they answer, beside those that all carry. In lower case. */
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

/** On every such answer, or on some. */
export type HeaderPresence = { readonly [name in HeaderName]?: 'always' | 'sometimes' }

/** Several operations in one body. */
export interface BatchRequest extends BodyShape {
  readonly kind: 'batch'
  /** Those that its operations may lead to. */
  readonly rules: readonly ModelRule[]
  /** Finds the operations in a document, and what is wrong with their form. */
  read(document: unknown): BatchPayload<ModelRule>
}

interface BaseResponseShape {
  readonly status: number
  /** Empty where nobody wrote one. */
  readonly description: string
  readonly parameters: MediaTypeParameters
  readonly contents: Contents
  readonly headers: HeaderPresence
}

/** What a request is answered with when it succeeds. */
export interface ResponseShape extends BaseResponseShape {
  readonly serializer: Serializer
  /**
   * `linkage`: the identifiers that a relation holds; `resource`: bytes, of the types that the
   * rule's resource may be of; `output`: what an action gives.
   */
  readonly content: 'empty' | 'item' | 'list' | 'linkage' | 'resource' | 'output'
  /**
   * Where the identifier of the answered item stands, or of the first of a list, as a JSON Pointer;
   * undefined where none does.
   */
  readonly idPointer?: string
  /** The same in another media type, for who would rather have that; `contents` holds both. */
  readonly alternative?: Pick<ResponseShape, 'serializer'>
}

/** What each operation of a batch came to, in their order. */
export interface BatchResponse extends BaseResponseShape {
  readonly serializer: BatchSerializer
  readonly content: 'results'
  /** The status where no operation has anything to say, and nothing is sent. */
  readonly emptyStatus: 204
}

/** An error the operation can answer. */
export interface ErrorResponse {
  readonly status: number
  /** Undefined where the service's own code declares the status alone. */
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

interface BaseRelationTarget {
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

interface BaseRule {
  readonly method: Method
  /**
   * Below the mount path, with `:id` for the identifier: `/books/:id`; `:index` is the place in a
   * list inside the item.
   */
  readonly path: string
  readonly parameters: readonly QueryParameter[]
  readonly errorResponses: readonly ErrorResponse[]
  /** What the middleware around the operation says of itself. */
  readonly declarations: readonly RuleDeclaration[]
  /** What it does, where whoever registered it said so. */
  readonly description?: string
  /** Given where the operation was registered under an id of its own. */
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

/** Operations on items of any model, all in one request, which happen together or not at all. */
export interface BatchRule extends BaseRule {
  readonly operation: 'Batch'
  readonly target: BatchTarget
  readonly request: BatchRequest
  readonly response: BatchResponse
}

/**
 * One operation at one address: written once by a policy, and from then on the only thing that
 * router, negotiation, decoding, encoding and document read. Frozen; `printRules` shows a list of
 * them as the routing table.
 *
 * Rules that are about one model have a view of it; `rule.operation` tells the two apart.
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

/** The rules as the routing table, one per line. */
export function printRules(rules: readonly Rule[]): string {
  return rules
    .map((rule) => `${rule.method.padEnd(6)} ${rule.path.padEnd(32)} ${rule.operation}`)
    .join('\n')
}
