import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import type { ResourceWriteInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { findResourceErrors, requireResource } from './find-resource.ts'
import { findResourceChange, resourceChangeErrors, writeResourceChange } from './resource-change.ts'
import { checkResourcePreconditions, resourcePreconditionErrors } from './resource-preconditions.ts'

export const deleteResourceErrors: readonly ErrorCode[] = [
  // The item becomes smaller.
  ...withoutErrors(resourceChangeErrors, ['item-too-large']),
  ...findResourceErrors,
  ...resourcePreconditionErrors,
]

/** DeleteResource: clears the resource. Its bytes are deleted after the commit. */
export function deleteResource(input: ResourceWriteInput): Promise<OperationResult> {
  return input.store.write(async (transaction) => {
    const change = await findResourceChange(transaction, input)
    // Whether there is a masked resource stays hidden, too.
    if (!change.isMasked) requireResource(input, change.seen)
    checkResourcePreconditions(input, change.seen)
    await writeResourceChange(transaction, input, change, null)
    return { kind: 'deleted' }
  })
}
