import { TimeSlice } from '../../concurrency/time-slice.ts'
import { throwIfAborted, yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { Caller } from '../caller.ts'
import { matcherOf } from '../evaluation/evaluate.ts'
import { type ItemSource, itemSource } from '../evaluation/item-source.ts'
import type { PageEntry, RelatedStoredItem, StoreReader } from '../store-reader.ts'
import { executePlan, type PositionedItem } from './execute-plan.ts'
import type { TableEntry, TableView } from './memory-table.ts'

const batchSize = 256

/** Reads tables in the state in which they are when a read begins. */
export function memoryReader(viewOf: (model: ModelDescription) => TableView): StoreReader {
  const source = (): ItemSource =>
    itemSource(
      (model, id) => viewOf(model).get(id)?.values,
      (model) => valuesIn(viewOf(model).values()),
    )

  const execute = (
    model: ModelDescription,
    plan: QueryPlan,
    caller: Caller | undefined,
  ): Promise<readonly PositionedItem[]> =>
    executePlan(
      model,
      plan,
      entriesFor(viewOf(model), plan.condition),
      source(),
      new TimeSlice(caller),
    )

  return {
    async find(model, condition) {
      const matches = matcherOf(model, condition)
      const view = viewOf(model)
      const items = source()
      for (const entry of entriesFor(view, condition)) {
        if (matches(entry.values, items)) return entry.item
      }
      return undefined
    },

    async *list(model, plan, caller): AsyncGenerator<readonly StoredItem[]> {
      const items = (await execute(model, plan, caller)).map(({ item }) => item)
      for (let start = 0; start < items.length; start += batchSize) {
        if (start > 0) await yieldToEventLoop()
        throwIfAborted(caller)
        yield items.slice(start, start + batchSize)
      }
    },

    async page(model, plan, caller) {
      return { entries: await execute(model, plan, caller), items: itemsOfEntries }
    },

    async count(model, condition, caller) {
      const matches = matcherOf(model, condition)
      const items = source()
      let count = 0
      const slice = new TimeSlice(caller)
      for (const { values } of entriesFor(viewOf(model), condition)) {
        if (matches(values, items)) count++
        if (slice.isOver) await slice.yieldToEventLoop()
      }
      return count
    },

    async *relatedPages(
      model,
      relation,
      owners,
      plan,
      caller,
    ): AsyncGenerator<readonly RelatedStoredItem[]> {
      for (let start = 0; start < owners.length; start += batchSize) {
        if (start > 0) await yieldToEventLoop()
        throwIfAborted(caller)
        const items = source()
        const slice = new TimeSlice(caller)
        const batch: RelatedStoredItem[] = []
        for (const owner of owners.slice(start, start + batchSize)) {
          const entries = relatedTo(model, relation, owner, items).flatMap(
            ({ id }) => viewOf(relation.relatedModel).get(id) ?? [],
          )
          const page = await executePlan(relation.relatedModel, plan, entries, items, slice)
          for (const { item, position } of page) batch.push({ ownerId: owner, item, position })
        }
        if (batch.length > 0) yield batch
      }
    },
  }
}

function relatedTo(
  model: ModelDescription,
  relation: ManyRelation,
  owner: string,
  items: ItemSource,
): readonly StoredValues[] {
  if (relation.kind === 'inverse') return items.itemsReferencing(relation, owner)
  const ids = (items.get(model, owner)?.[relation.name] ?? []) as readonly string[]
  return [...new Set(ids)].flatMap((id) => items.get(relation.relatedModel, id) ?? [])
}

/** The entries of a page of this store hold their items. */
async function* itemsOfEntries(
  entries: readonly PageEntry[],
): AsyncGenerator<readonly StoredItem[]> {
  if (entries.length > 0) yield (entries as readonly PositionedItem[]).map(({ item }) => item)
}

/** The current items that can satisfy the condition: if it names ids, only the items with them. */
function entriesFor(view: TableView, condition: Condition): readonly TableEntry[] {
  const ids = idsIn(condition)
  return ids === undefined
    ? [...view.values()]
    : [...new Set(ids)].flatMap((id) => view.get(id) ?? [])
}

/**
 * The ids that the condition requires; undefined if it requires none directly. Where a guard hides
 * the id, it is null.
 */
function idsIn(condition: Condition): readonly string[] | undefined {
  if (condition.kind === 'and')
    return condition.conditions.map(idsIn).find((ids) => ids !== undefined)
  const isEqual = condition.kind === 'compare' && condition.operator === 'equal'
  if (!isEqual && condition.kind !== 'oneOf') return undefined
  const { names, guards } = condition.path
  if (names.length !== 1 || names[0] !== 'id' || guards?.length) return undefined
  const values = condition.kind === 'oneOf' ? condition.values : [condition.value]
  return values.filter((value) => typeof value === 'string')
}

function* valuesIn(entries: Iterable<TableEntry>): Iterable<StoredValues> {
  for (const entry of entries) yield entry.values
}
