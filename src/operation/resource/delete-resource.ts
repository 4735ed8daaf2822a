import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { ResourceWriteInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeGuardedItem, changeGuardedItemErrors } from '../write/change-guarded-item.ts'
import { guardedMemberErrors, refuseGuardedField } from '../write/guarded-members.ts'
import { findResourceAccessor, findResourceErrors, requireResource } from './find-resource.ts'
import { isMaskedResource } from './masked-resource.ts'
import { checkResourcePreconditions, resourcePreconditionErrors } from './resource-preconditions.ts'

export const deleteResourceErrors: readonly ErrorCode[] = [
  ...findItemErrors,
  ...guardedMemberErrors,
  ...findResourceErrors,
  ...resourcePreconditionErrors,
  // No field with a value changes, and the item becomes smaller.
  ...withoutErrors(changeGuardedItemErrors, [
    'value-taken',
    'item-too-large',
    'invalid-member',
    'related-not-found',
  ]),
]

/** DeleteResource: clears the resource. Its bytes are deleted after the commit. */
export function deleteResource(input: ResourceWriteInput): Promise<OperationResult> {
  const { model } = input.view
  const { name } = input.resourceTarget.path.itemField
  return input.store.write(async (transaction) => {
    const current = await findItem(transaction, input)
    await refuseGuardedField(transaction, input, name, current)
    const values = readStoredValues(model, current)
    const accessor = findResourceAccessor(input, values)
    const isMasked = await isMaskedResource(transaction, input, current)
    // Whether there is a resource stays hidden, too.
    if (!isMasked) requireResource(input, accessor)
    checkResourcePreconditions(input, isMasked ? { ...accessor, resource: null } : accessor)
    accessor.set(null)
    await changeGuardedItem(
      transaction,
      input,
      model,
      current,
      values,
      undefined,
      [name],
      isMasked ? new Set([name]) : undefined,
    )
    return { kind: 'deleted' }
  })
}
