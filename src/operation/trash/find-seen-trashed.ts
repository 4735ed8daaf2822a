import { conditionOf } from '../../access/field-guards.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { andAlso } from '../../query/conditions.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { findTrashed, type TrashedItem } from '../../store/trash/trash-table.ts'
import type { TrashedItemInput } from '../operation-input.ts'
import { type SeenPastItem, seenPastItem } from '../past-item.ts'

const ownErrors = ['not-found', 'forbidden'] as const

export const findSeenTrashedErrors: readonly ErrorCode[] = [...ownErrors]

const { refuse } = refusalsOf(ownErrors)

export interface SeenTrashed extends SeenPastItem {
  readonly trashed: TrashedItem
}

/** So many items that had the id are looked at, unless the request names one by its time. */
const maxSameId = 100

/**
 * Finds the item in the trash that the request names: of several with its id, the last deleted one
 * that the caller sees. One that the caller may not see is reported like one that is not there.
 * @throws ApiError `not-found`, or `forbidden` for an item that the caller sees in the trash only
 */
export async function findSeenTrashed(
  reader: StoreReader,
  input: TrashedItemInput,
): Promise<SeenTrashed> {
  const { guards, context, view, deletedMs } = input
  const { model } = view
  const id = context.id!
  const candidates = await findTrashed(reader, model, id, { deletedMs, limit: maxSameId })
  for (const trashed of candidates) {
    const seen = await seenPastItem(reader, input, trashed.item)
    if (seen) return { ...seen, trashed }
  }
  const visible = andAlso(
    guards.itemCondition(model, context, id),
    conditionOf(guards.accessOf(model)?.readTrash, model, context),
  )
  for (const { item } of candidates)
    if (await seenPastItem(reader, input, item, visible))
      throw refuse(
        'forbidden',
        `You may see this ${model.name} in the trash, but not ${
          context.rule.method === 'DELETE' ? 'delete it for good' : 'restore it'
        }.`,
      )
  throw refuse(
    'not-found',
    `There is no ${model.name} with the id '${truncate(id, 128)}' in the trash.`,
  )
}
