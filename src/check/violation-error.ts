import type { Violation } from './expectation/expectation.ts'
import type { SentRequest } from './service-client.ts'

/** Thrown within a property, so that what led to it is made as small as it can be. */
export class ViolationError extends Error {
  readonly violation: Violation
  readonly request: SentRequest

  constructor(fault: Violation, sending: SentRequest) {
    super(fault.message)
    this.violation = fault
    this.request = sending
  }
}
