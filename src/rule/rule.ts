import type { ErrorCode } from '../error/catalog.ts'
import type { ActionDescription, RelationField, ResourceSlot, Variant } from '../model/description.ts'
import type { ModelView } from '../model/model-view.ts'
import type { SentInput, SentItem } from '../serializer/sent.ts'
import type { Purpose, Serializer } from '../serializer/serializer.ts'
import type { MediaParameters } from './media.ts'
import type { OperationName } from './operations.ts'
import type { Parameter } from './parameter.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** What all bodies have in common. */
interface BodyShape {
  readonly mediaTypes: readonly string[]
  readonly parameters: MediaParameters
  /** What is said where the body relates to an item that is not there. */
  readonly missingRelated: ErrorCode
}

/** What a request brings. */
export type RequestShape =
  | { readonly kind: 'none' }
  | (BodyShape & { readonly kind: 'item'; readonly purpose: Purpose; readonly serializer: Serializer })
  /** The identifiers of the relation that the rule is about. */
  | (BodyShape & { readonly kind: 'linkage'; readonly read: (document: unknown) => SentItem })
  /** A binary resource: its bytes as they are, or the part of a form that has this name. */
  | { readonly kind: 'bytes'; readonly mediaTypes: readonly string[]; readonly part: string; readonly maxBytes: number }
  /** What an action takes; the reader is told in which of the media types it came. */
  | (BodyShape & { readonly kind: 'input'; readonly read: (document: unknown, mediaType: string) => SentInput })

/** What a request is answered with when it succeeds. */
export interface ResponseShape {
  readonly status: number
  readonly description: string
  readonly serializer: Serializer
  readonly parameters: MediaParameters
  /**
   * `linkage`: the identifiers that a relation holds; `resource`: bytes, of the types that the rule's resource may be of; `output`: what an
   * action gives.
   */
  readonly content: 'empty' | 'item' | 'list' | 'linkage' | 'resource' | 'output'
  /** Header names the answer can carry. */
  readonly headers: readonly string[]
}

/** An error the operation can answer. */
export interface ErrorResponse {
  readonly status: number
  /** Undefined where the service's own code declares the status alone. */
  readonly code: ErrorCode | undefined
  readonly description: string
}

/** A relation of an item that stands in the path. */
export interface Through {
  readonly view: ModelView
  readonly relation: RelationField
}

/** The binary resource that an address is about, or a form of it. */
export interface ResourceAim {
  readonly slot: ResourceSlot
  readonly variant?: Variant
}

/**
 * One operation at one address: written once by a policy, and from then on the only thing that router, negotiation,
 * decoding, encoding and document read. Frozen; `printRules` shows a list of them as the routing table.
 */
export interface Rule {
  readonly operation: OperationName
  readonly method: Method
  /** Below the mount path, with `:id` for the identifier: `/books/:id`; `:index` is the place in a list inside the item. */
  readonly path: string
  /** The model whose items are answered, and on which the parameters work. */
  readonly view: ModelView
  /** The relation by which they are reached from the item that the path names; undefined where the path names them themselves. */
  readonly through?: Through
  /** The binary resource of the item that the path names; undefined for operations on anything else. */
  readonly resource?: ResourceAim
  /** What is done with the item, where the operation is an action. */
  readonly action?: ActionDescription
  readonly parameters: readonly Parameter[]
  readonly request: RequestShape
  readonly response: ResponseShape
  readonly errorResponses: readonly ErrorResponse[]
  /** Given where the operation was registered under an id of its own. */
  readonly operationId?: string
}

/** The rules as the routing table, one per line. */
export function printRules(rules: readonly Rule[]): string {
  return rules.map((rule) => `${rule.method.padEnd(6)} ${rule.path.padEnd(32)} ${rule.operation}`).join('\n')
}
