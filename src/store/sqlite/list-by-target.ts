import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { ChunkSize } from '../reader/chunk-size.ts'
import { listedItemsOf } from '../reader/item-rows.ts'
import type { RelationMember } from '../sql/document-queries.ts'
import type { StoreCall } from '../store-call.ts'
import type { DocumentReadContext, DocumentRunner } from './document-read-context.ts'
import { isWholeListById } from './list-by-id-range.ts'

/**
 * Reads the owners of a target by the index of the join table, which has them in the order of ids.
 */
export async function* listByTarget(
  { queries }: DocumentReadContext,
  { batchSize, indexedRows }: DocumentRunner,
  model: ModelDescription,
  member: RelationMember,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const size = new ChunkSize(batchSize)
  for (let from: string | undefined; ; ) {
    let requested = 0
    const rows = await size.next((count, maxBytes) => {
      requested = count
      return indexedRows(queries.ownersOf(model, member, from, count), maxBytes)
    })
    const { length } = rows
    const items = listedItemsOf(queries.tableOf(model), rows)
    from = items.at(-1)?.id
    if (length > 0) yield items
    if (length < requested) return
    await yieldToEventLoop(call)
  }
}

/** The target, if the plan lists all items whose to-many relation holds one target. */
export function soleTargetOf(model: ModelDescription, plan: QueryPlan): RelationMember | undefined {
  const { condition } = plan
  if (condition.kind !== 'members' || condition.quantity !== 'any' || condition.values.length !== 1)
    return undefined
  if (!isWholeListById(plan)) return undefined
  const { names, guards } = condition.path
  const [target] = condition.values
  const relation = model.ownedRelations.find(
    ({ name, kind }) => kind === 'toMany' && name === names[0],
  )
  if (names.length > 1 || guards || !relation || typeof target !== 'string') return undefined
  return { relation: relation.name, target }
}
