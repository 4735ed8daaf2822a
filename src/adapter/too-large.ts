import { type ApiError, refusal } from '../error/api-error.ts'

/** The refusal of a body, declared or found to be larger than the operation takes. */
export function tooLarge(limit: number): ApiError {
  return refusal('body-too-large', `The body may have at most ${limit} bytes.`, undefined, { meta: { limit } })
}
