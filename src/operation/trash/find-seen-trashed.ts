import type { ErrorCode } from '../../error/catalog.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { findTrashed, type TrashedItem } from '../../store/trash/trash-table.ts'
import type { TrashedItemInput } from '../operation-input.ts'
import { type SeenPastItem, seenPastItem } from '../past-item.ts'

const ownErrors = ['not-found'] as const

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
 * @throws ApiError `not-found`
 */
export async function findSeenTrashed(
  reader: StoreReader,
  input: TrashedItemInput,
): Promise<SeenTrashed> {
  const seen = await lastSeenTrashed(reader, input, input.plan.condition)
  if (seen) return seen
  const { view, context } = input
  throw refuse(
    'not-found',
    `There is no ${view.model.name} with the id '${truncate(context.id!, 128)}' in the trash.`,
  )
}

/** The last deleted one that satisfies the condition. */
export async function lastSeenTrashed(
  reader: StoreReader,
  input: TrashedItemInput,
  condition: Condition,
): Promise<SeenTrashed | undefined> {
  const { view, context, deletedMs } = input
  const those = { deletedMs, limit: maxSameId }
  for (const trashed of await findTrashed(reader, view.model, context.id!, those)) {
    const seen = await seenPastItem(reader, input, trashed.item, condition)
    if (seen) return { ...seen, trashed }
  }
  return undefined
}
