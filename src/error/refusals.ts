import { createApiError, refuse } from './api-error.ts'
import type { ErrorCode } from './catalog.ts'
import { problem } from './problem.ts'
import { temporaryRefusal } from './temporary-refusal.ts'

type After<Call extends (code: ErrorCode, ...rest: never) => unknown> =
  Parameters<Call> extends [ErrorCode, ...infer Rest] ? Rest : never

/** The functions that make errors, for some of the codes only. */
export interface Refusals<Code extends ErrorCode> {
  readonly refuse: (code: Code, ...rest: After<typeof refuse>) => never
  readonly createApiError: (
    code: Code,
    ...rest: After<typeof createApiError>
  ) => ReturnType<typeof createApiError>
  readonly problem: (code: Code, ...rest: After<typeof problem>) => ReturnType<typeof problem>
  readonly temporaryRefusal: (
    code: Code,
    ...rest: After<typeof temporaryRefusal>
  ) => ReturnType<typeof temporaryRefusal>
}

const refusals: Refusals<ErrorCode> = { refuse, createApiError, problem, temporaryRefusal }

/**
 * Ties refusals to the errors that a file declares: any other code does not compile.
 *
 * ```ts
 * export const findItemErrors = ['not-found'] as const
 * const { refuse } = refusalsOf(findItemErrors)
 * ```
 */
export function refusalsOf<Code extends ErrorCode>(_errors: readonly Code[]): Refusals<Code> {
  return refusals
}
