import type { Problem } from '../error/problem.ts'
import type { ItemPayload, PayloadValue, Steps } from '../serializer/payload.ts'

/**
 * Where an operation of a batch leads: below the mount path, or wherever an address that a client
 * knows leads.
 */
export type OperationTarget =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'address'; readonly address: string }

/** One operation of a batch: what would be a request of its own. */
export interface OperationPayload<ModelRule> {
  /** Where it stands in the document of the batch. */
  readonly steps: Steps
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly target: PayloadValue<OperationTarget>
  /** The `If-Match` of that request. */
  readonly ifMatch: PayloadValue<string> | undefined
  /** What a client would call the member that holds it. */
  readonly ifMatchName: string
  /** The document that the request would bring; undefined for none. */
  readonly document: unknown
  /**
   * Reads that document as the rule says that the operation leads to.
   * @throws ApiError with every fault of form, each with a pointer that goes on from `steps`.
   */
  read(rule: ModelRule): ItemPayload | undefined
}

export interface BatchPayload<ModelRule> {
  readonly operations: readonly OperationPayload<ModelRule>[]
  /**
   * What is wrong with the form of the document, as far as it shows without the rules that the
   * operations lead to.
   */
  readonly problems: readonly Problem[]
}
