import { refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import { isSameValue } from '../../stored-item/same-value.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { immutableMember, memberProblemErrors } from './member-problems.ts'

export const immutableMemberErrors: readonly ErrorCode[] = [
  ...withoutErrors(memberProblemErrors, ['invalid-member']),
]

/**
 * Refuses to change members that are set once.
 * @param unseenChanges members that count as set and as changed, whatever is stored
 * @throws ApiError `forbidden` for each of them
 */
export function refuseImmutableMembers(
  model: ModelDescription,
  before: StoredValues,
  next: StoredValues,
  payload: ItemPayload | undefined,
  unseenChanges?: ReadonlySet<string>,
): void {
  const changed = model.immutableFields.filter(({ name }) => {
    if (unseenChanges?.has(name)) return true
    const value = before[name]
    return value !== null && value !== undefined && !isSameValue(value, next[name])
  })
  refuseAll(changed.map(({ name }) => immutableMember(model, name, payload)))
}
