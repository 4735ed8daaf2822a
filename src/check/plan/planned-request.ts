import type { DescribedOperation } from '../described-operation.ts'

/** What a request is owed: success, a refusal, or just an answer that its document describes. */
export type Owed = 'success' | 'refusal' | 'answer'

/** A request as it will be sent. */
export interface PlannedRequest {
  readonly operation: DescribedOperation
  readonly method: string
  /** Path and query below the service's address, encoded. */
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | undefined
  readonly owed: Owed
}
