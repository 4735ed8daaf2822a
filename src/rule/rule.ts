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

/** What a request brings. */
export type RequestShape =
  | { readonly kind: 'none' }
  | (RelatingBody & {
      readonly kind: 'item'
      readonly purpose: Purpose
      readonly serializer: Serializer
    })
  /** The identifiers of the relation that the rule is about. */
  | (RelatingBody & { readonly kind: 'linkage'; readonly read: (document: unknown) => ItemPayload })
  /** A binary resource: its bytes as they are, or the part of a form that has this name. */
  | {
      readonly kind: 'bytes'
      readonly mediaTypes: readonly string[]
      readonly contents: Contents
      readonly partName: string
      readonly maxBytes: number
    }
  /** What an action takes; the reader is told in which of the media types it came. */
  | (RelatingBody & {
      readonly kind: 'input'
      /** May nothing be sent? */
      readonly isOptional: boolean
      readonly read: (document: unknown, mediaType: string) => ActionPayload
    })

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

/** A relation of an item that stands in the path. */
export interface RelationTarget {
  readonly view: ModelView
  readonly relation: RelationField
}

/** The binary resource that an address is about, or a form of it. */
export interface ResourceTarget {
  readonly path: ResourcePath
  readonly variant?: Variant
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

/** An operation on the items of one model. */
export interface ModelRule extends BaseRule {
  readonly operation: ModelOperation
  /** The model whose items are answered, and on which the parameters work. */
  readonly view: ModelView
  /**
   * The relation by which they are reached from the item that the path names; undefined where the
   * path names them themselves.
   */
  readonly relationTarget?: RelationTarget
  /**
   * The binary resource of the item that the path names; undefined for operations on anything else.
   */
  readonly resourceTarget?: ResourceTarget
  /** What is done with the item, where the operation is an action. */
  readonly action?: ActionDescription
  readonly request: RequestShape
  readonly response: ResponseShape
  /**
   * Do hooks run for it? Then its answers may differ from caller to caller, and caches that callers
   * share must not keep them.
   */
  readonly isPersonal?: boolean
  /** Other successes, such as a replaced item that had to be created. */
  readonly otherResponses: readonly ResponseShape[]
}

/** Operations on items of any model, all in one request, which happen together or not at all. */
export interface BatchRule extends BaseRule {
  readonly operation: 'Batch'
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

/** The rules as the routing table, one per line. */
export function printRules(rules: readonly Rule[]): string {
  return rules
    .map((rule) => `${rule.method.padEnd(6)} ${rule.path.padEnd(32)} ${rule.operation}`)
    .join('\n')
}
