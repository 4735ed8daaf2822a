import type { ModelDescription } from '../../model/model-description.ts'
import { runUnit } from '../../operation/unit-of-work/run-unit.ts'
import { idEquals } from '../../query/conditions.ts'
import { findVersions, removeVersions } from '../../store/history/version-table.ts'
import type { RouterSetup } from '../feature.ts'
import { unusedKeys } from './unused-keys.ts'

/** Erases the former versions of an item; all of them, once it is deleted. @returns their number */
export function eraseVersions(
  { store, storageObservers }: Pick<RouterSetup, 'store' | 'storageObservers'>,
  model: ModelDescription,
  id: string,
): Promise<number> {
  return runUnit({ store, observers: storageObservers([model]) }, async (unit) => {
    const transaction = unit.unobserved
    const isThere = (await transaction.find(model, idEquals(id))) !== undefined
    const [last] = isThere ? await findVersions(transaction, model, id, { limit: 1 }) : []
    const removed = await removeVersions(transaction, {
      model,
      id,
      ...(last && { below: last.number }),
    })
    unit.discard(await unusedKeys(unit, model, removed))
    return removed.length
  })
}
