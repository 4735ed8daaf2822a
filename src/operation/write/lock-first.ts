import type { ModelDescription } from '../../model/model-description.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { OperationInput, PayloadOperationInput } from '../operation-input.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import type { LinkageChange } from './inverse-links.ts'
import { itemsToLock, locksBefore } from './items-to-lock.ts'
import { WritableItems } from './writable-items.ts'

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

/** Lists lock no items. Is the item there? */
async function checkListed(
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

/** Locks an item whose inverse relations are written at other items, after these. */
export function lockForLinks(
  unit: UnitOfWork,
  input: Pick<PayloadOperationInput, 'view' | 'context' | 'guards' | 'plan' | 'payload'>,
  change: LinkageChange,
): Promise<void> | undefined {
  const { view, context, plan, payload } = input
  const { model } = view
  if (model.rollupFields.length === 0) return undefined
  const isWritten = model.relations.some(
    ({ kind, name }) => kind === 'inverse' && payload.relations.has(name),
  )
  if (!isWritten) return undefined
  return unit.lockFirst(() => {
    const items = new WritableItems()
    if (context.id !== undefined) items.add(model, context.id, 'write', () => plan.condition)
    items.addLinked(input, model, payload, change)
    return itemsToLock(unit.unobserved, items.toList())
  })
}
