import type { Violation } from './expectation/expectation.ts'
import type { SentRequest } from './service-client.ts'

/** Thrown within a property, so that fast-check shrinks the request. */
export class ViolationError extends Error {
  readonly violation: Violation
  readonly request: SentRequest

  constructor(violation: Violation, request: SentRequest) {
    super(violation.message)
    this.violation = violation
    this.request = request
  }
}
