import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { ToOneField } from '../../model/model-description.ts'
import { isReadable, type ModelView } from '../../model/model-view.ts'
import { toWords, toWordsWithArticle } from '../../model/naming.ts'
import type { LinkagePayload, PayloadValue } from '../../serializer/payload.ts'
import { toStoredValue } from '../../stored-item/code-values.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import { isSameMember, isSettable, type ServiceField, sentMember } from './sent-member.ts'

const ownErrors = ['forbidden'] as const

export const serviceMemberErrors: readonly ErrorCode[] = [...ownErrors]

const { problem } = refusalsOf(ownErrors)

/**
 * The input of a new item with the values that the service makes from the request. What a client
 * sends besides them is a problem.
 */
export function withServiceMembers(input: PayloadOperationInput): PayloadOperationInput {
  const { view, payload, context } = input
  if (view.isForService || view.model.serviceFields.length === 0) return input
  const values = new Map(payload.values)
  const relations = new Map(payload.relations)
  const problems = [...payload.problems]
  for (const field of view.model.serviceFields) {
    const sent = sentMember(payload, field)
    const made: unknown = field.from?.(context, sent?.value)
    const value = field.kind === 'value' ? toStoredValue(field, made) : made
    refuseUnusable(view, field, value)
    const isOther = sent && !isSameMember(sent.value, value)
    // An access rule says whether this client may.
    if (isOther && isSettable(field)) continue
    if (isOther) problems.push(otherValue(field, sent))
    if (value === undefined) continue
    if (field.kind === 'value')
      values.set(field.name, { value, steps: sent?.steps ?? payload.memberSteps.values })
    else relations.set(field.name, linkageOf(value, sent?.steps ?? payload.memberSteps.relations))
  }
  return { ...input, payload: { ...payload, values, relations, problems } }
}

/**
 * Problems of a change: a client may send back what it read, and nothing else.
 * @param seenValues the stored values that the client sees
 */
export function serviceMemberProblems(
  { view, payload }: PayloadOperationInput,
  seenValues: StoredValues,
): Problem[] {
  if (view.isForService) return []
  return view.model.serviceFields.flatMap((field) => {
    if (isSettable(field)) return []
    const sent = sentMember(payload, field)
    return sent && !isSameMember(sent.value, seenValues[field.name])
      ? [otherValue(field, sent)]
      : []
  })
}

/** A new item needs a value that only the service can set, and it has none. */
export function missingServiceMember(view: ModelView, field: ServiceField): Problem {
  const kind = field.kind === 'value' ? 'field' : 'relation'
  const item = toWordsWithArticle(view.model.name)
  if (!isReadable(view, field))
    return problem(
      'forbidden',
      `Clients cannot create ${item}: only the service can set a required ${kind}.`,
    )
  return problem(
    'forbidden',
    field.from
      ? `This request cannot create ${item}: it gives no value for '${field.wireName}', which only the service can set.`
      : `Clients cannot create ${item}: only the service can set the required ${kind} '${field.wireName}'.`,
  )
}

/** The item that the service relates a new item to does not exist. */
export function missingServiceTarget(
  { view, payload }: PayloadOperationInput,
  field: ToOneField,
  id: string,
): Problem {
  const refusal = `This request cannot create ${toWordsWithArticle(view.model.name)}`
  if (!isReadable(view, field))
    return problem(
      'forbidden',
      `${refusal}: the service sets a relation to an item that does not exist.`,
    )
  const { steps } = sentMember(payload, field) ?? {}
  // What the service filled in is not in the document of the client.
  const isSent = steps !== undefined && steps !== payload.memberSteps.relations
  return problem(
    'forbidden',
    `${refusal}: the service sets '${field.wireName}' to the ${toWords(field.relatedModel.name)} '${truncate(id)}', which does not exist.`,
    isSent ? { pointer: formatPointer(steps) } : undefined,
  )
}

function otherValue({ wireName }: ServiceField, { steps }: PayloadValue<unknown>): Problem {
  return problem(
    'forbidden',
    `Only the service can set '${wireName}'. Send it unchanged, or omit it.`,
    { pointer: formatPointer(steps) },
  )
}

function linkageOf(id: unknown, steps: PayloadValue<unknown>['steps']): LinkagePayload {
  return typeof id === 'string'
    ? { kind: 'one', id: { value: id, steps } }
    : { kind: 'none', steps }
}

/** @throws TypeError for what no client can mend */
function refuseUnusable({ model }: ModelView, field: ServiceField, value: unknown): void {
  const subject = `'from' of '${field.name}' of the model '${model.name}'`
  if (value instanceof Promise) {
    value.catch(() => undefined)
    throw new TypeError(
      `${subject} returned a promise. It must be synchronous: set the value in the state, by a request hook.`,
    )
  }
  if (field.kind === 'toOne' && typeof value !== 'string' && value !== null && value !== undefined)
    throw new TypeError(`${subject} must return an id, null or undefined; got a ${typeof value}.`)
}
