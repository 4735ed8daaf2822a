import type { ToOneField, ValueField } from '../../model/model-description.ts'
import type { ItemPayload, PayloadValue } from '../../serializer/payload.ts'
import { isSameValue } from '../../stored-item/same-value.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

/** A member that the service sets. */
export type ServiceField = ValueField | ToOneField

/** What the client sent for such a member. */
export function sentMember(
  { readOnlyValues, readOnlyRelations }: ItemPayload,
  { kind, name }: ServiceField,
): PayloadValue<unknown> | undefined {
  if (kind === 'value') return readOnlyValues?.get(name)
  const linkage = readOnlyRelations?.get(name)
  if (linkage?.kind === 'one') return linkage.id
  return linkage && { value: null, steps: linkage.steps }
}

/** No value and null are the same in requests. */
export function isSameMember(sent: unknown, value: unknown): boolean {
  return isSameValue(sent ?? null, value ?? null)
}

/**
 * Does a relation hold an id only because the client sent it? Then the client must see the item.
 */
export function isChosenByClient(
  { context, payload }: PayloadOperationInput,
  field: ToOneField,
): boolean {
  const sent = sentMember(payload, field)
  return sent !== undefined && !isSameMember(field.from?.(context, undefined), sent.value)
}
