import { removeVersions } from '../../store/history/version-table.ts'
import type { RemoveOld } from '../sweep-by-age.ts'
import { unusedKeys } from './unused-keys.ts'

const batchSize = 200

/** Removes versions that were replaced too long ago. */
export const removeOldVersions: RemoveOld = async (unit, model, replacedBeforeMs) => {
  const removed = await removeVersions(unit.unobserved, { model, replacedBeforeMs }, batchSize)
  unit.discard(await unusedKeys(unit, model, removed))
  return removed.length < batchSize ? 'done' : 'more'
}
