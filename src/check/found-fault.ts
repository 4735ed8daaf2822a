import type { Fault } from './expectation/expectation.ts'
import type { Sending } from './send.ts'

/** Thrown within a property, so that what led to it is made as small as it can be. */
export class FoundFault extends Error {
  readonly fault: Fault
  readonly sending: Sending

  constructor(fault: Fault, sending: Sending) {
    super(fault.message)
    this.fault = fault
    this.sending = sending
  }
}
