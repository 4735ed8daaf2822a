import type { ErrorCode } from '../error/catalog.ts'
import type { ModelView } from '../model/model-view.ts'
import type { Purpose, Serializer } from '../serializer/serializer.ts'
import type { OperationName } from './operations.ts'
import type { Parameter } from './parameter.ts'

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE'

/** What a request brings. */
export type RequestShape =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'item'
      readonly purpose: Purpose
      readonly mediaTypes: readonly string[]
      readonly serializer: Serializer
    }

/** What a request is answered with when it succeeds. */
export interface ResponseShape {
  readonly status: number
  readonly description: string
  readonly serializer: Serializer
  readonly content: 'empty' | 'item' | 'list'
  /** Header names the answer can carry. */
  readonly headers: readonly string[]
}

/** An error the operation can answer. */
export interface ErrorResponse {
  readonly status: number
  readonly code: ErrorCode
  readonly description: string
}

/**
 * One operation at one address: written once by a policy, and from then on the only thing that router, negotiation,
 * decoding, encoding and document read. Frozen; `printRules` shows a list of them as the routing table.
 */
export interface Rule {
  readonly operation: OperationName
  readonly method: Method
  /** Below the mount path, with `:id` for the identifier: `/books/:id`. */
  readonly path: string
  readonly view: ModelView
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
