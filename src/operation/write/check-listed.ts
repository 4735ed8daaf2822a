import type { ModelDescription } from '../../model/model-description.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'

/**
 * Runs the check on the item, if there is one, without locking it.
 * @returns whether there is one
 */
export async function checkListed(
  unit: UnitOfWork,
  model: ModelDescription,
  condition: Condition,
  check: (item: StoredItem) => Promise<void>,
): Promise<boolean> {
  for await (const [item] of unit.list(model, { ...allItemsPlan, condition }))
    if (item) {
      await check(item)
      return true
    }
  return false
}
