import type { ErrorCode } from '../../error/catalog.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import { removeVersions } from '../../store/history/version-table.ts'
import { removeTrashed, type TrashedItem } from '../../store/trash/trash-table.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import type { TrashedItemInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { findChangeableTrashed, findChangeableTrashedErrors } from './find-changeable-trashed.ts'

export const purgeItemErrors: readonly ErrorCode[] = [...findChangeableTrashedErrors]

/** PurgeItem: deletes an item in the trash for good, with its versions and files. */
export function purgeItem(input: TrashedItemInput): Promise<OperationResult> {
  return input.store.write(async (transaction) => {
    const { trashed } = await findChangeableTrashed(transaction, input)
    await removeForGood(transaction, input.view.model, trashed)
    return { kind: 'deleted' }
  })
}

/** Removes an item from the trash, with its versions and files. */
export async function removeForGood(
  unit: UnitOfWork,
  model: ModelDescription,
  trashed: TrashedItem,
): Promise<void> {
  const { item, ownsVersions } = trashed
  await removeTrashed(unit.unobserved, trashed)
  const isThere = (await unit.unobserved.find(model, idEquals(item.id))) !== undefined
  // An item that was created with the same id has versions of its own.
  const versions =
    model.history && ownsVersions && !isThere
      ? await removeVersions(unit.unobserved, { model, id: item.id })
      : []
  unit.discard([...new Set([item, ...versions].flatMap((kept) => Object.values(blobKeysOf(kept))))])
}
