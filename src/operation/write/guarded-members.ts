import type { AccessDecision } from '../../access/access-decision.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { FieldDescription, ModelDescription } from '../../model/model-description.ts'
import { always, andAlso, idEquals } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { ItemPayload, LinkagePayload, PayloadValue } from '../../serializer/payload.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { toStoredValue } from '../../stored-item/code-values.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { OperationInput, PayloadOperationInput } from '../operation-input.ts'
import { changeOutcome } from './change-rules.ts'
import type { Members } from './item-base.ts'
import { isSameMember, sentValue } from './sent-member.ts'
import type { SeenItem } from './unseen-changes.ts'

export const guardedMemberErrors = ['forbidden'] as const

const { problem, refuse } = refusalsOf(guardedMemberErrors)

/** What the access rules of fields say about a write. */
export interface GuardedMembers {
  readonly problems: readonly Problem[]
  /** What the written item must satisfy, because rules of changed fields depend on it. */
  readonly outcome: Condition
  /** The fields that keep their values if the payload lacks them. */
  readonly kept: ReadonlySet<string>
  /**
   * The payload without what stands for members that the caller does not see: a client that sends
   * back what it got is not refused because of them.
   */
  readonly payload: ItemPayload
}

/** An item that a payload changes. */
export interface ChangedItem extends SeenItem {
  readonly item: StoredItem
  readonly kind: 'merge' | 'replace'
}

/** Checks the fields that a payload sets against the access rules of these fields. */
export async function checkGuardedMembers(
  reader: StoreReader,
  { guards, view, context, payload }: PayloadOperationInput,
  stored: ChangedItem | undefined,
): Promise<GuardedMembers> {
  if (guards.fields.isEmpty) return { ...noGuardedMembers, payload }
  const { model } = view
  const problems: Problem[] = []
  const decisions: AccessDecision[] = []
  const kept = new Set(stored?.masked)
  const ignored = new Set<string>()
  for (const { name, condition, decision } of guards.fields.writeRulesOf(model, context)) {
    const allowed = stored
      ? condition
      : await changeOutcome(reader, { context }, model, undefined, [decision])
    const isAllowed =
      allowed.kind !== 'never' &&
      (!stored || (await reader.find(model, andAlso(allowed, idEquals(stored.item.id)))))
    if (!isAllowed) kept.add(name)
    const sent = payload.values.get(name) ?? payload.relations.get(name)
    // Uploads have an address of their own; a body only sends back their links.
    if (!sent || model.fieldsByName.get(name)!.kind === 'resource') continue
    if (!stored && isMadeByService(model, name, sentValue(sent), context)) continue
    const isSentBack = stored && isSeenValue(model.fieldsByName.get(name)!, sentValue(sent), stored)
    // Whoever may set a field that it does not see clears it with null.
    if (isSentBack && !(isAllowed && stored.masked.has(name))) {
      if (stored.masked.has(name)) ignored.add(name)
      continue
    }
    if (isAllowed) decisions.push(decision)
    else
      problems.push(
        problem('forbidden', `You may not set '${model.fieldsByName.get(name)!.wireName}'.`, {
          pointer: formatPointer(stepsOf(sent)),
        }),
      )
  }
  const outcome = await changeOutcome(reader, { context }, model, stored?.item, decisions)
  return { problems, outcome, kept, payload: withoutMembers(payload, ignored) }
}

/**
 * Does a client send what it sees? For a value that it does not see, null counts as unchanged only
 * in a merge, where it means to remove an optional member (RFC 7396).
 */
function isSeenValue(
  field: FieldDescription,
  sent: unknown,
  { kind, seenValues, masked }: ChangedItem,
): boolean {
  if (!isSameMember(sent, seenValues[field.name])) return false
  if (field.kind !== 'value' || !masked.has(field.name)) return true
  return kind === 'merge' && !field.isRequiredInRequest
}

/** What a replaced item must satisfy, because the payload clears fields by leaving them out. */
export async function clearedFieldsOutcome(
  reader: StoreReader,
  { guards, view, context, payload }: PayloadOperationInput,
  current: StoredItem,
  members: Members,
): Promise<Condition> {
  const stored = readStoredValues(view.model, current)
  const cleared = guards.fields
    .writeRulesOf(view.model, context)
    .filter(
      ({ name }) =>
        !payload.values.has(name) &&
        !payload.relations.has(name) &&
        !isSameMember(members[name], stored[name]),
    )
  const decisions = cleared.map(({ decision }) => decision)
  return changeOutcome(reader, { context }, view.model, current, decisions)
}

const noGuardedMembers: Omit<GuardedMembers, 'payload'> = Object.freeze({
  problems: [],
  outcome: always,
  kept: new Set<string>(),
})

/**
 * For a change of one field that no payload holds, such as an upload.
 * @throws ApiError `forbidden`
 */
export async function refuseGuardedField(
  reader: StoreReader,
  { guards, context, view }: Pick<OperationInput, 'guards' | 'context' | 'view'>,
  name: string,
  { id }: Pick<StoredItem, 'id'>,
): Promise<void> {
  const { model } = view
  const condition = guards.fields.writeCondition(model, name, context)
  if (condition.kind === 'always') return
  if (await reader.find(model, andAlso(condition, idEquals(id)))) return
  throw refuse('forbidden', `You may not change '${model.fieldsByName.get(name)!.wireName}'.`)
}

/** Does the client send what the service sets in a new item anyway? */
function isMadeByService(
  { fieldsByName }: ModelDescription,
  name: string,
  sent: unknown,
  context: OperationInput['context'],
): boolean {
  const field = fieldsByName.get(name)!
  if ((field.kind !== 'value' && field.kind !== 'toOne') || !field.from) return false
  const made: unknown = field.from(context, sent)
  return isSameMember(sent, field.kind === 'value' ? toStoredValue(field, made) : made)
}

function withoutMembers(payload: ItemPayload, names: ReadonlySet<string>): ItemPayload {
  if (names.size === 0) return payload
  const others = <Value>(members: ReadonlyMap<string, Value>) =>
    new Map([...members].filter(([name]) => !names.has(name)))
  return { ...payload, values: others(payload.values), relations: others(payload.relations) }
}

function stepsOf(sent: PayloadValue<unknown> | LinkagePayload) {
  return 'kind' in sent && sent.kind === 'one' ? sent.id.steps : sent.steps
}
