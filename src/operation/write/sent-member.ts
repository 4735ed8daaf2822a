import type { ToOneField, ValueField } from '../../model/model-description.ts'
import type { ItemPayload, LinkagePayload, PayloadValue } from '../../serializer/payload.ts'
import { isSameValue } from '../../stored-item/same-value.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

/** A member that the service sets. */
export type ServiceField = ValueField | ToOneField

/** What the client sent for such a member. */
export function sentMember(
  { values, relations, readOnlyValues, readOnlyRelations }: ItemPayload,
  field: ServiceField,
): PayloadValue<unknown> | undefined {
  const { kind, name } = field
  const isOpen = isSettable(field)
  if (kind === 'value') return (isOpen ? values : readOnlyValues)?.get(name)
  const linkage = (isOpen ? relations : readOnlyRelations)?.get(name)
  if (linkage?.kind === 'one') return linkage.id
  return linkage && { value: null, steps: linkage.steps }
}

/** May some clients set the member? An access rule then says who. */
export function isSettable(field: ServiceField): boolean {
  return field.kind === 'value'
    ? field.visibility === 'visible' || field.visibility === 'writeOnly'
    : !field.isReadOnly
}

/** The value or the ids that a client sent. */
export function sentValue(sent: PayloadValue<unknown> | LinkagePayload): unknown {
  if (!('kind' in sent)) return sent.value ?? null
  if (sent.kind === 'one') return sent.id.value
  return sent.kind === 'many' ? sent.ids.map(({ value }) => value) : null
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
