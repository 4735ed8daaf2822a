import { ApiError } from '../../error/api-error.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { changedLinks } from './changed-links.ts'
import { checkListed } from './check-listed.ts'
import type { LinkageChange } from './inverse-links.ts'
import { itemsToLock } from './items-to-lock.ts'
import { WritableItems } from './writable-items.ts'

/** How an operation changes the inverse relations of its payload. */
interface LinksChange {
  readonly change: LinkageChange
  /** Do members that the payload lacks change too? */
  readonly replacesItem: boolean
  /** Refuses the change of an item in the path: a request that is refused locks nothing. */
  check?(item: StoredItem): Promise<void>
}

type LinksInput = Pick<PayloadOperationInput, 'view' | 'context' | 'guards' | 'plan' | 'payload'>

/**
 * Locks an item whose inverse relations are written at other items, after these. Undefined if there
 * is nothing to lock.
 */
export function lockForLinks(
  unit: UnitOfWork,
  input: LinksInput,
  links: LinksChange,
): Promise<void> | undefined {
  const { model } = input.view
  if (model.rollupFields.length === 0 || !unit.locks) return undefined
  const isWritten = model.relations.some(
    ({ kind, name }) => kind === 'inverse' && input.payload.relations.has(name),
  )
  return isWritten ? lockUnlessRefused(unit, input, links) : undefined
}

/** What refuses the request here does so again when it runs, after what is checked before it. */
async function lockUnlessRefused(
  unit: UnitOfWork,
  input: LinksInput,
  { change, replacesItem, check = async () => undefined }: LinksChange,
): Promise<void> {
  const { view, context, plan, payload } = input
  const { model } = view
  const { id } = context
  const isListed =
    id !== undefined &&
    (await checkListed(unit, model, plan.condition, check).catch((error: unknown) => {
      if (error instanceof ApiError) return undefined
      throw error
    }))
  // Of the changes with an id, only a replacement creates an item.
  const isNew = id === undefined || (isListed === false && replacesItem && model.allowsUpsert)
  if (!isListed && !isNew) return
  const members = [...payload.values.keys(), ...payload.relations.keys()]
  await unit.lockFirst(async () => {
    const items = await writableLinks(unit.unobserved, input, isListed ? id : undefined, change)
    if (!items) return []
    if (isListed) {
      const item = { model, id, change: 'write', ...(!replacesItem && { members }) } as const
      items.add(item, () => plan.condition)
    }
    return itemsToLock(unit.unobserved, items.toList(), 'lockNone')
  })
}

/** The related items to write; undefined if the caller may never write one of them. */
async function writableLinks(
  reader: StoreReader,
  input: LinksInput,
  id: string | undefined,
  change: LinkageChange,
): Promise<WritableItems | undefined> {
  const owner = { model: input.view.model, id, payload: input.payload, change }
  const items = new WritableItems()
  for (const link of await changedLinks(reader, input, owner))
    if (!items.addLinked(input, link)) return undefined
  return items
}
