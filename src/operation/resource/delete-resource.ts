import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { ResourceWriteInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeGuardedItem, changeGuardedItemErrors } from '../write/change-guarded-item.ts'
import { guardedMemberErrors, refuseGuardedField } from '../write/guarded-members.ts'
import { findResourceAccessor, findResourceErrors, requireResource } from './find-resource.ts'
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
  return input.store.write(async (transaction) => {
    const current = await findItem(transaction, input)
    await refuseGuardedField(transaction, input, input.resourceTarget.path.itemField.name, current)
    const values = readStoredValues(model, current)
    const accessor = findResourceAccessor(input, values)
    requireResource(input, accessor)
    checkResourcePreconditions(input, accessor)
    accessor.set(null)
    await changeGuardedItem(transaction, input, model, current, values, undefined, [
      input.resourceTarget.path.itemField.name,
    ])
    return { kind: 'deleted' }
  })
}
