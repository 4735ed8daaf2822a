// What requests with an `Idempotency-Key` can be refused with, in addition to the errors of their
// operation.

export const keyErrors = [
  'invalid-idempotency-key',
  'idempotency-key-required',
  'idempotency-key-reused',
  'overloaded',
] as const

/** While the first request with a key is running. */
export const waitErrors = ['conflict', 'overloaded'] as const

export const storedResultErrors = ['response-not-kept'] as const

/** For an item that the caller does not see, or not any more. */
export const replayedCreationErrors = ['forbidden'] as const
