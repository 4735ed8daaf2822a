import type { Violation } from './expectation/expectation.ts'
import type { SentRequest } from './service-client.ts'

/** A violation, and the smallest request that was found to show it. */
export interface Finding extends Violation {
  /** An operation id, or a path. */
  readonly subject: string
  readonly request: SentRequest
  /** The name of the caller, if there are several. */
  readonly caller?: string
}
