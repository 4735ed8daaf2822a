import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { OperationInput } from '../operation-input.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { checkListed } from './check-listed.ts'
import { itemsToLock, locksBefore } from './items-to-lock.ts'

/**
 * Locks an item that will be removed after the items that refer to it, if it has rollups, or items
 * that are removed with it have. Undefined if there is nothing to lock.
 * @param check refuses the removal of the item, so that a request which is refused locks nothing
 */
export function lockForRemoval(
  unit: UnitOfWork,
  { view: { model }, plan }: Pick<OperationInput, 'view' | 'plan'>,
  check: (item: StoredItem) => Promise<void>,
): Promise<void> | undefined {
  const { condition } = plan
  const written = { model, condition, change: 'remove' } as const
  if (!unit.locks || !locksBefore(written)) return undefined
  return checkListed(unit, model, condition, check).then((isListed) =>
    // An item that is missing is refused when it is read.
    isListed ? unit.lockFirst(() => itemsToLock(unit.unobserved, [written])) : undefined,
  )
}
