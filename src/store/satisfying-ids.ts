import { TimeSlice } from '../concurrency/time-slice.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { allOf, andAlso, conjunctsOf, idIsAnyOf } from '../query/conditions.ts'
import type { Condition, FieldPath } from '../query/query-plan.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { matcherOf } from './evaluation/evaluate.ts'
import type { ItemSource } from './evaluation/item-source.ts'
import { maxIdsPerQuery } from './max-ids-per-query.ts'
import { type PathLeaf, resolvePath } from './resolve-path.ts'
import type { StoreCall } from './store-call.ts'
import type { StoreReader } from './store-reader.ts'

/**
 * The ids of those items that satisfy the condition.
 *
 * What the items hold decides without a query. The reader answers parts of the condition that lead
 * to related items, with one query for each 500 items that satisfy the rest; an item that it does
 * not have, or no longer has, does not satisfy them. Within a transaction the reader is the
 * transaction, so that its writes count.
 *
 * ```ts
 * const ids = await satisfyingIds(memory(), book, [item], idIsAnyOf(['dune', 'emma']))
 * ids.has(item.id) // true for Dune and Emma
 * ```
 *
 * @throws TypeError with the path, if the model does not have a path of the condition
 */
export async function satisfyingIds(
  reader: StoreReader,
  model: ModelDescription,
  items: readonly StoredItem[],
  condition: Condition,
  call?: StoreCall,
): Promise<ReadonlySet<string>> {
  const operands = conjunctsOf(condition)
  const related = operands.filter((operand) => !isAboutItemAlone(model, operand))
  const others = operands.filter((operand) => !related.includes(operand))
  const ids = await matchingIds(model, items, allOf(others), call)
  if (related.length === 0 || ids.length === 0) return new Set(ids)
  const satisfying = new Set<string>()
  for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
    const batch = ids.slice(start, start + maxIdsPerQuery)
    const plan = {
      condition: andAlso(idIsAnyOf(batch), allOf(related)),
      sort: [],
      pageRange: { kind: 'offset', offset: 0, limit: batch.length },
    } as const
    const { entries } = await reader.page(model, plan, call)
    for (const { id } of entries) satisfying.add(id)
  }
  return satisfying
}

async function matchingIds(
  model: ModelDescription,
  items: readonly StoredItem[],
  condition: Condition,
  call: StoreCall | undefined,
): Promise<readonly string[]> {
  if (condition.kind === 'always') return items.map(({ id }) => id)
  const matches = matcherOf(model, condition)
  const slice = new TimeSlice(call)
  const ids: string[] = []
  for (const item of items) {
    if (matches(readStoredValues(model, item), noRelatedItems)) ids.push(item.id)
    if (slice.isOver) await slice.yieldToEventLoop()
  }
  return ids
}

/** Does an item without any values satisfy the condition? */
export function heldByNothing(model: ModelDescription, condition: Condition): boolean {
  return matcherOf(model, condition)({ id: null as never }, noRelatedItems)
}

const noRelatedItems: ItemSource = { get: () => undefined, itemsReferencing: () => [] }

/** Do the values and ids that an item holds decide whether it satisfies the condition? */
function isAboutItemAlone(model: ModelDescription, condition: Condition): boolean {
  switch (condition.kind) {
    case 'always':
    case 'never':
      return true
    case 'and':
    case 'or':
      return condition.conditions.every((operand) => isAboutItemAlone(model, operand))
    case 'not':
      return isAboutItemAlone(model, condition.condition)
    case 'some':
      return false
    case 'search':
      return condition.fields.every(({ path }) => isPathOfItemAlone(model, path))
    default:
      return (
        isPathOfItemAlone(model, condition.path) &&
        !dependsOnColumn(condition, resolvePath(model, condition.path).leaf)
      )
  }
}

function isPathOfItemAlone(model: ModelDescription, path: FieldPath): boolean {
  const { guard, hops, leaf } = resolvePath(model, path)
  if (hops.length > 0 || leaf.kind === 'inverse') return false
  if ('guard' in leaf && leaf.guard.kind !== 'always') return false
  return isAboutItemAlone(model, guard)
}

/**
 * May the result depend on the type of a column? A table of another program may have ids and texts
 * that are sorted as numbers, and compares UUIDs in any case.
 */
function dependsOnColumn(condition: Condition, leaf: PathLeaf): boolean {
  const isOrdered =
    condition.kind === 'compare' &&
    condition.operator !== 'equal' &&
    condition.operator !== 'notEqual'
  if (leaf.kind !== 'value') return isOrdered
  if (leaf.type.kind !== 'text') return false
  return leaf.type.format === 'uuid' || (isOrdered && leaf.type.format === undefined)
}
