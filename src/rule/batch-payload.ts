import type { Problem } from '../error/problem.ts'
import type { ItemPayload, PayloadValue, Steps } from '../serializer/payload.ts'

/** The target of an operation of a batch: a path below the mount path, or a URL of the service. */
export type OperationTarget =
  | { readonly kind: 'path'; readonly path: string }
  | { readonly kind: 'address'; readonly address: string }

/** One operation of a batch, in the terms of a single request. */
export interface OperationPayload<ModelRule> {
  /** The steps of its JSON Pointer in the document. */
  readonly steps: Steps
  readonly method: 'POST' | 'PATCH' | 'DELETE'
  readonly target: PayloadValue<OperationTarget>
  /** The value of `If-Match`. */
  readonly ifMatch: PayloadValue<string> | undefined
  /** The name of the member with this value, for messages. */
  readonly ifMatchName: string
  /** The request body; undefined for none. */
  readonly document: unknown
  /**
   * Reads the document for the rule of the target.
   * @throws ApiError with all problems, whose pointers start with `steps`
   */
  read(rule: ModelRule): ItemPayload | undefined
}

export interface BatchPayload<ModelRule> {
  readonly operations: readonly OperationPayload<ModelRule>[]
  /** The problems of the document that do not depend on the rules of the targets. */
  readonly problems: readonly Problem[]
}
