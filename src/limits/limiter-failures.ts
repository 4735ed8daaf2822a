import { temporaryRefusal } from '../error/temporary-refusal.ts'

/** What happens to requests while what counts them fails. */
export interface FailureHandling {
  readonly onFailure: 'allow' | 'refuse'
  readonly onError: (error: unknown) => void
}

/** @throws ApiError `overloaded`, unless requests pass */
export function passOrRefuse(handling: FailureHandling, error: unknown): void {
  reportFailure(handling, error)
  if (handling.onFailure === 'refuse')
    throw temporaryRefusal('overloaded', 'The limits cannot be checked. Try again later.', 5)
}

/** A handler of errors that throws ends neither the request nor the process. */
export function reportFailure({ onError }: FailureHandling, error: unknown): void {
  try {
    onError(error)
  } catch (reason) {
    process.emitWarning(`'onError' of limit() threw: ${String(reason)}`, {
      code: 'RESOURCERY_LIMITER',
    })
  }
}
