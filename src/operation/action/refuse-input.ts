import { maxProblems, refuseAll } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ActionPayload } from '../../serializer/payload.ts'
import { unknownMemberDetail } from '../write/unknown-members.ts'

export const refusedInputErrors = ['invalid-document', 'unknown-member'] as const

const { problem, refuse } = refusalsOf(refusedInputErrors)

export type PresentPayload = Extract<ActionPayload, { kind: 'present' }>

/**
 * For what takes no input.
 * @throws ApiError with all problems of a body that says something
 */
export function refuseInput(name: string, payload: ActionPayload): undefined {
  if (payload.kind === 'absent') return
  const { document, value, steps } = payload
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse(
      'invalid-document',
      `'${name}' takes no input. Send no body, or an empty object.`,
      {
        pointer: findDeepestExisting(document, steps),
      },
    )
  }
  const unknownPaths = Object.keys(value).slice(0, maxProblems)
  refuseAll(
    unknownPaths.map((key, index) =>
      unknownMemberProblem(name, [key], payload, { properties: {} }, index),
    ),
  )
}

export function unknownMemberProblem(
  name: string,
  path: readonly (string | number)[],
  { document, steps }: PresentPayload,
  schema: JsonSchema,
  problemCount: number,
): Problem {
  const detail = unknownMemberDetail(`the input of '${name}'`, schema, path, problemCount)
  return problem('unknown-member', detail, {
    pointer: findDeepestExisting(document, [...steps, ...path]),
  })
}
