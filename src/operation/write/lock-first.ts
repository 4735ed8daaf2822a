import type { OperationInput, PayloadOperationInput } from '../operation-input.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import type { LinkageChange } from './inverse-links.ts'
import { itemsToLock, locksBefore } from './items-to-lock.ts'
import { WritableItems } from './writable-items.ts'

/**
 * Locks an item that will be removed after the items that refer to it, if it has rollups, or items
 * that are removed with it have. Undefined if there is nothing to lock.
 */
export function lockForRemoval(
  unit: UnitOfWork,
  { view: { model }, plan }: Pick<OperationInput, 'view' | 'plan'>,
): Promise<void> | undefined {
  const written = { model, condition: plan.condition, change: 'remove' } as const
  return locksBefore(written)
    ? unit.lockFirst(() => itemsToLock(unit.unobserved, [written]))
    : undefined
}

/** The same for an item whose inverse relations are written at other items. */
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
