import { removeForGood } from '../../operation/trash/purge-item.ts'
import { trashedBefore } from '../../store/trash/trash-table.ts'
import type { RemoveOld } from '../sweep-by-age.ts'

const batchSize = 50

/** Deletes items for good that were deleted too long ago. */
export const removeOldItems: RemoveOld = async (unit, model, beforeMs) => {
  const items = await trashedBefore(unit.unobserved, model, beforeMs, batchSize)
  for (const item of items) await removeForGood(unit, model, item)
  return items.length < batchSize ? 'done' : 'more'
}
