import { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { isImmutableItem } from '../../model/immutable-items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { toWords } from '../../model/naming.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import { isSameValue } from '../../stored-item/same-value.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { joinWords } from '../../text/message-text.ts'
import { shownMember } from './shown-member.ts'

export const immutableItemErrors = ['conflict'] as const

const { problem } = refusalsOf(immutableItemErrors)

/**
 * @param unseenChanges members that count as changed, whatever is stored
 * @throws ApiError `conflict` if the item is immutable, and other members than excepted change
 */
export function refuseImmutableChange(
  model: ModelDescription,
  before: StoredValues,
  next: StoredValues,
  payload: ItemPayload | undefined,
  unseenChanges?: ReadonlySet<string>,
): void {
  if (!isImmutableItem(model, before)) return
  const changes = [...model.valueFields, ...model.ownedRelations, ...model.resourceFields].some(
    (field) =>
      !model.immutability!.exceptions.has(field.name) &&
      !(field.kind === 'value' && (field.timestamp || field.computed)) &&
      (unseenChanges?.has(field.name) ||
        !isSameValue(before[field.name] ?? null, next[field.name] ?? null)),
  )
  if (changes) throw immutableItem(model, 'changed', payload)
}

/** @throws ApiError `conflict` if the item is immutable */
export function refuseImmutableRemoval(model: ModelDescription, before: StoredValues): void {
  if (isImmutableItem(model, before)) throw immutableItem(model, 'deleted', undefined)
}

/** A client must not learn the names of hidden fields. */
function immutableItem(
  model: ModelDescription,
  change: 'changed' | 'deleted',
  payload: ItemPayload | undefined,
): ApiError {
  const { where, exceptions } = model.immutability!
  const shown = (names: readonly string[]) =>
    names.flatMap((name) => {
      const member = shownMember(model, name, payload)
      return member ? [`'${member.wireName}'`] : []
    })
  const reasons = shown(where.map(({ field }) => field.name))
  const changeable = change === 'deleted' ? [] : shown([...exceptions])
  const because =
    reasons.length === 0
      ? ''
      : `: ${joinWords(reasons)} ${reasons.length === 1 ? 'has its' : 'have their'} final value${reasons.length === 1 ? '' : 's'}`
  const rest = changeable.length === 0 ? '' : ` Only ${joinWords(changeable)} can change.`
  return new ApiError([
    problem('conflict', `The ${toWords(model.name)} can no longer be ${change}${because}.${rest}`),
  ])
}
