import type { ErrorCode } from './catalog.ts'

/** The errors of a step, without those that cannot occur as the caller uses it. */
export function withoutErrors(
  errors: readonly ErrorCode[],
  impossible: readonly ErrorCode[],
): readonly ErrorCode[] {
  return errors.filter((code) => !impossible.includes(code))
}
