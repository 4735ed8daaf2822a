import { maxProblems, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { ActionValue } from '../../model/action-description.ts'
import { maxIssues, type SchemaIssue } from '../../schema/standard-schema.ts'
import type { ActionOperationInput } from '../operation-input.ts'
import type { Validations } from '../validations.ts'
import { validationErrors } from '../validations.ts'
import { invalidValueDetail } from '../write/invalid-value-detail.ts'
import { unknownMembers } from '../write/unknown-members.ts'
import { valueAt } from '../write/value-at.ts'
import {
  type PresentPayload,
  refusedInputErrors,
  refuseInput,
  unknownMemberProblem,
} from './refuse-input.ts'

const ownErrors = ['empty-body', 'invalid-input'] as const

export const actionInputErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...refusedInputErrors,
  ...validationErrors,
]

const { problem, refuse } = refusalsOf(ownErrors)

type ValidationInput = Pick<ActionOperationInput, 'action' | 'actionPayload' | 'validations'>

/**
 * The output of the action's input schema. Without a body, an input whose members are all optional
 * is empty.
 * @throws ApiError with all problems, each with a pointer that exists in the document
 */
export async function validateActionInput({
  action,
  actionPayload: payload,
  validations,
}: ValidationInput): Promise<unknown> {
  const { name, input } = action
  if (!input) return refuseInput(name, payload)
  if (payload.kind === 'absent')
    return validateMissingInput(validations, name, input, payload.missingProblem)
  const validation = await validations.validateAsync(input.schema, payload.value)
  const issues = validation.kind === 'invalid' ? validation.issues.slice(0, maxProblems) : []
  // A client with that many problems learns of unknown members later.
  const unknownPaths =
    issues.length < maxIssues ? unknownMembers(input.jsonSchema, payload.value, maxProblems) : []
  refuseAll([
    ...issues.map((issue) => inputProblem(issue, payload)),
    ...unknownPaths.map((path, index) =>
      unknownMemberProblem(name, path, payload, input.jsonSchema, index),
    ),
  ])
  return validation.kind === 'valid' ? validation.value : undefined
}

async function validateMissingInput(
  validations: Validations,
  name: string,
  { schema }: ActionValue,
  missingProblem: Problem | undefined,
): Promise<unknown> {
  for (const emptyInput of [undefined, {}]) {
    const validation = await validations.validateAsync(schema, emptyInput)
    if (validation.kind === 'valid') return validation.value
  }
  if (missingProblem) refuseAll([missingProblem])
  throw refuse('empty-body', `The body is empty; expected the input of '${name}' as JSON.`)
}

function inputProblem(
  { path, message }: SchemaIssue,
  { document, value, steps }: PresentPayload,
): Problem {
  const isMissing = valueAt(value, path) === undefined
  const member = path.length === 0 ? 'the input' : `'${truncate(path.join('.'))}'`
  const detail = invalidValueDetail(member, isMissing, message)
  return problem('invalid-input', detail, {
    pointer: findDeepestExisting(document, [...steps, ...path]),
  })
}
