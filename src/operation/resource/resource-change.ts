import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import type { StoredResource } from '../../model/stored-resource.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { ResourceOperationInput, ResourceWriteInput } from '../operation-input.ts'
import { itemsWithMasked } from '../shown-item.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { changeGuardedItem, changeGuardedItemErrors } from '../write/change-guarded-item.ts'
import { guardedMemberErrors, refuseGuardedField } from '../write/guarded-members.ts'
import {
  findResourceAccessor,
  findResourceErrors,
  type NamedResourceAccessor,
} from './find-resource.ts'

export const resourceChangeErrors: readonly ErrorCode[] = [
  ...findItemErrors,
  ...guardedMemberErrors,
  ...findResourceErrors,
  // No field with a value changes.
  ...withoutErrors(changeGuardedItemErrors, ['value-taken', 'invalid-member', 'related-not-found']),
]

/** A resource that a client sets or clears, and the stored item that has it. */
export interface ResourceChange {
  readonly item: StoredItem
  readonly values: StoredValues
  /** As the caller sees it: without the resource, where rules hide the field of it. */
  readonly seen: NamedResourceAccessor
  readonly isMasked: boolean
}

/** @throws ApiError if the caller may not change the resource, whatever its content */
export async function findResourceChange(
  reader: StoreReader,
  input: ResourceWriteInput,
): Promise<ResourceChange> {
  const item = await findItem(reader, input)
  await refuseGuardedField(reader, input, input.resourceTarget.path.itemField.name, item)
  const values = readStoredValues(input.view.model, item)
  const accessor = findResourceAccessor(input, values)
  const isMasked = await isMaskedResource(reader, input, item)
  return { item, values, seen: isMasked ? { ...accessor, resource: null } : accessor, isMasked }
}

/** Writes the item with another resource, or with none. */
export function writeResourceChange(
  transaction: UnitOfWork,
  input: ResourceWriteInput,
  { item, values, seen, isMasked }: ResourceChange,
  resource: StoredResource | null,
): Promise<StoredItem> {
  const { name } = input.resourceTarget.path.itemField
  seen.set(resource)
  return changeGuardedItem(
    transaction,
    input,
    input.view.model,
    item,
    values,
    undefined,
    [name],
    isMasked ? new Set([name]) : undefined,
  )
}

/** Does the caller not see the field of the resource? Then no answer depends on what it holds. */
async function isMaskedResource(
  reader: StoreReader,
  input: ResourceOperationInput,
  item: StoredItem,
): Promise<boolean> {
  const { name } = input.resourceTarget.path.itemField
  return (await itemsWithMasked(reader, input, input.view.model, [item], name)).has(item.id)
}
