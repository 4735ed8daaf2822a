import { maxProblems, refuse, refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { ActionValue } from '../../model/model-description.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'
import { maxIssues, type SchemaIssue } from '../../schema/standard-schema.ts'
import type { ActionPayload } from '../../serializer/payload.ts'
import type { ActionOperationInput } from '../operation-input.ts'
import type { Validations } from '../validations.ts'
import { knownMembersHint, unknownMembers } from '../write/unknown-members.ts'
import { valueAt } from '../write/value-at.ts'

type ValidationInput = Pick<ActionOperationInput, 'action' | 'actionPayload' | 'validations'>

/**
 * The input of an action, as its schema gives it. Where nothing was sent, an input all of whose
 * members may be absent is empty.
 * @throws ApiError with all faults, each with a pointer that exists in the sent document.
 */
export async function validateActionInput({
  action,
  actionPayload: sent,
  validations,
}: ValidationInput): Promise<unknown> {
  const { name, input } = action
  if (!input) return refuseInput(name, sent)
  if (sent.kind === 'nothing')
    return validateMissingInput(validations, name, input, sent.missingProblem)
  const validation = await validations.validateAsync(input.schema, sent.value)
  const issues = validation.kind === 'invalid' ? validation.issues.slice(0, maxProblems) : []
  // Who has that many faults to mend hears of unknown members later.
  const strays =
    issues.length < maxIssues ? unknownMembers(input.jsonSchema, sent.value, maxProblems) : []
  refuseAll([
    ...issues.map((issue) => inputProblem(issue, sent)),
    ...strays.map((way) => unknownMemberProblem(name, way, sent, input.jsonSchema)),
  ])
  return validation.kind === 'valid' ? validation.value : undefined
}

type PresentPayload = Extract<ActionPayload, { kind: 'sent' }>

function refuseInput(name: string, sent: ActionPayload): undefined {
  if (sent.kind === 'nothing') return
  const { document, value, steps } = sent
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse(
      'invalid-document',
      `'${name}' takes no input: send no body, or an empty object.`,
      {
        pointer: findDeepestExisting(document, steps),
      },
    )
  }
  const strays = Object.keys(value).slice(0, maxProblems)
  refuseAll(strays.map((key) => unknownMemberProblem(name, [key], sent, { properties: {} })))
}

async function validateMissingInput(
  validations: Validations,
  name: string,
  { schema }: ActionValue,
  lacks: Problem | undefined,
): Promise<unknown> {
  for (const nothing of [undefined, {}]) {
    const validation = await validations.validateAsync(schema, nothing)
    if (validation.kind === 'valid') return validation.value
  }
  if (lacks) refuseAll([lacks])
  throw refuse('empty-body', `A body is expected: the input of '${name}', as JSON.`)
}

function inputProblem(
  { path, message }: SchemaIssue,
  { document, value, steps }: PresentPayload,
): Problem {
  const isMissing = valueAt(value, path) === undefined
  const member = path.length === 0 ? 'The input' : `'${truncate(path.join('.'))}'`
  const detail = `${member} ${isMissing ? 'is required' : 'does not fit'}: ${truncate(message, 1_000)}.`
  return problem('invalid-input', detail, {
    pointer: findDeepestExisting(document, [...steps, ...path]),
  })
}

function unknownMemberProblem(
  name: string,
  way: readonly (string | number)[],
  { document, steps }: PresentPayload,
  schema: JsonSchema,
): Problem {
  const detail = `The input of '${name}' has no member '${truncate(way.join('.'))}'${knownMembersHint(schema, way)}.`
  return problem('unknown-member', detail, {
    pointer: findDeepestExisting(document, [...steps, ...way]),
  })
}
