import type { Problem } from '../error/problem.ts'
import type { Sent, SentItem, Steps } from '../serializer/sent.ts'

/** Where an operation of a batch leads: below the mount path, or wherever an address that a client knows leads. */
export type Target =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'address'; readonly address: string }

/** One operation of a batch: what would be a request of its own. */
export interface SentOperation<ModelRule> {
  /** Where it stands in the document of the batch. */
  readonly steps: Steps
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly target: Sent<Target>
  /** The `If-Match` of that request. */
  readonly ifMatch: Sent<string> | undefined
  /** What a client would call the member that holds it. */
  readonly ifMatchName: string
  /** The document that the request would bring; undefined for none. */
  readonly document: unknown
  /**
   * Reads that document as the rule says that the operation leads to.
   * @throws ApiError with every fault of form, each with a pointer that goes on from `steps`.
   */
  read(rule: ModelRule): SentItem | undefined
}

export interface SentBatch<ModelRule> {
  readonly operations: readonly SentOperation<ModelRule>[]
  /** What is wrong with the form of the document, as far as it shows without the rules that the operations lead to. */
  readonly problems: readonly Problem[]
}
