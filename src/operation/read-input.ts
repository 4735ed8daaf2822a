import { mostFaults, refuse, refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { shortened } from '../error/shortened.ts'
import { deepestExisting } from '../http/json-pointer.ts'
import type { ActionValue } from '../model/description.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { mostIssues, type SchemaIssue } from '../schema/standard-schema.ts'
import type { SentInput } from '../serializer/sent.ts'
import type { ActionJob } from './job.ts'
import { namesIn, unknownMembers } from './unknown-members.ts'
import type { Validations } from './validations.ts'
import { valueAt } from './value-at.ts'

type InputJob = Pick<ActionJob, 'action' | 'input' | 'validations'>

/**
 * The input of an action, as its schema gives it. Where nothing was sent, an input all of whose members may be absent is empty.
 * @throws ApiError with all faults, each with a pointer that exists in the sent document.
 */
export async function readInput({ action, input: sent, validations }: InputJob): Promise<unknown> {
  const { name, input } = action
  if (!input) return refuseAny(name, sent)
  if (sent.kind === 'nothing') return absent(validations, name, input, sent.lacks)
  const validation = await validations.settled(input.schema, sent.value)
  const issues = validation.kind === 'invalid' ? validation.issues.slice(0, mostFaults) : []
  // Who has that many faults to mend hears of unknown members later.
  const strays = issues.length < mostIssues ? unknownMembers(input.json, sent.value, mostFaults) : []
  refuseAll([...issues.map((issue) => misfit(issue, sent)), ...strays.map((way) => stray(name, way, sent, input.json))])
  return validation.kind === 'valid' ? validation.value : undefined
}

type Given = Extract<SentInput, { kind: 'sent' }>

function refuseAny(name: string, sent: SentInput): undefined {
  if (sent.kind === 'nothing') return
  const { document, value, steps } = sent
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw refuse('invalid-document', `'${name}' takes no input: send no body, or an empty object.`, {
      pointer: deepestExisting(document, steps),
    })
  }
  const strays = Object.keys(value).slice(0, mostFaults)
  refuseAll(strays.map((key) => stray(name, [key], sent, { properties: {} })))
}

async function absent(
  validations: Validations,
  name: string,
  { schema }: ActionValue,
  lacks: Problem | undefined,
): Promise<unknown> {
  for (const nothing of [undefined, {}]) {
    const validation = await validations.settled(schema, nothing)
    if (validation.kind === 'valid') return validation.value
  }
  if (lacks) refuseAll([lacks])
  throw refuse('empty-body', `A body is expected: the input of '${name}', as JSON.`)
}

function misfit({ path, message }: SchemaIssue, { document, value, steps }: Given): Problem {
  const isMissing = valueAt(value, path) === undefined
  const member = path.length === 0 ? 'The input' : `'${shortened(path.join('.'))}'`
  const detail = `${member} ${isMissing ? 'is required' : 'does not fit'}: ${shortened(message, 1_000)}.`
  return problem('invalid-input', detail, { pointer: deepestExisting(document, [...steps, ...path]) })
}

function stray(
  name: string,
  way: readonly (string | number)[],
  { document, steps }: Given,
  schema: JsonSchema,
): Problem {
  const detail = `The input of '${name}' has no member '${shortened(way.join('.'))}'${namesIn(schema, way)}.`
  return problem('unknown-member', detail, { pointer: deepestExisting(document, [...steps, ...way]) })
}
