import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { isSameMember, sentValue } from './sent-member.ts'

/** An item before a change, as the caller sees it. */
export interface SeenItem {
  /** Without hidden ids and masked values. */
  readonly seenValues: StoredValues
  /** The fields that the caller does not see in this item. */
  readonly masked: ReadonlySet<string>
}

/**
 * The masked members that a payload sets. They count as changed, whatever is stored: an answer that
 * depends on it would tell a client that it guessed the value.
 */
export function unseenChanges(
  { fieldsByName }: ModelDescription,
  { values, relations }: Pick<ItemPayload, 'values' | 'relations'>,
  { seenValues, masked }: SeenItem,
): ReadonlySet<string> {
  const changed = [...masked].filter((name) => {
    const sent = values.get(name) ?? relations.get(name)
    // An upload has an address of its own, and relations keep their hidden links.
    if (!sent || fieldsByName.get(name)!.kind === 'resource') return false
    return (
      fieldsByName.get(name)!.kind === 'value' || !isSameMember(sentValue(sent), seenValues[name])
    )
  })
  return new Set(changed)
}
