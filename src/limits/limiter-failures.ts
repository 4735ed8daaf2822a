import { temporaryRefusal } from '../error/temporary-refusal.ts'

/** What happens to requests while what counts them fails. */
export interface FailureHandling {
  readonly onFailure: 'allow' | 'refuse'
  readonly onError: (error: unknown) => void
}

/** @throws ApiError `overloaded`, unless requests pass */
export function passOrRefuse({ onFailure, onError }: FailureHandling, error: unknown): void {
  onError(error)
  if (onFailure === 'refuse')
    throw temporaryRefusal('overloaded', 'The limits cannot be checked. Try again later.', 5)
}
