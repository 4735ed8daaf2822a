import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import type { Caller, PageEntry, RelatedStoredItem, StoreReader } from '../store.ts'
import { CallerTimeSlice } from './caller-time-slice.ts'
import { matcherOf } from './evaluate.ts'
import { executePlan, type PositionedItem } from './execute-plan.ts'
import { type ItemSource, itemSource } from './item-source.ts'
import type { TableEntry, TableView } from './memory-table.ts'

const batchSize = 256

/** Answers questions about the tables as they are when the question is asked. */
export function memoryReader(viewOf: (model: ModelDescription) => TableView): StoreReader {
  const source = (): ItemSource =>
    itemSource(
      (model, id) => viewOf(model).get(id)?.values,
      (model) => valuesIn(viewOf(model).values()),
    )

  const answer = (
    model: ModelDescription,
    plan: QueryPlan,
    caller: Caller | undefined,
  ): Promise<readonly PositionedItem[]> =>
    executePlan(
      model,
      plan,
      entriesFor(viewOf(model), plan.condition),
      source(),
      new CallerTimeSlice(caller),
    )

  return {
    async find(model, condition) {
      const matches = matcherOf(model, condition)
      const view = viewOf(model)
      const from = source()
      for (const entry of entriesFor(view, condition)) {
        if (matches(entry.values, from)) return entry.item
      }
      return undefined
    },

    async *list(model, plan, caller): AsyncGenerator<readonly StoredItem[]> {
      const items = (await answer(model, plan, caller)).map((placed) => placed.item)
      for (let start = 0; start < items.length; start += batchSize) {
        if (start > 0) await yieldToEventLoop()
        caller?.signal.throwIfAborted()
        yield items.slice(start, start + batchSize)
      }
    },

    async page(model, plan, caller) {
      const places = await answer(model, plan, caller)
      return { entries: places, items: itemsOfEntries }
    },

    async count(model, condition, caller) {
      const matches = matcherOf(model, condition)
      const from = source()
      let count = 0
      const pauses = new CallerTimeSlice(caller)
      for (const { values } of entriesFor(viewOf(model), condition)) {
        if (matches(values, from)) count++
        if (pauses.isOver) await pauses.yieldToEventLoop()
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
        caller?.signal.throwIfAborted()
        const from = source()
        const pauses = new CallerTimeSlice(caller)
        const batch: RelatedStoredItem[] = []
        for (const owner of owners.slice(start, start + batchSize)) {
          const entries = relatedTo(model, relation, owner, from).flatMap(
            ({ id }) => viewOf(relation.relatedModel).get(id) ?? [],
          )
          const page = await executePlan(relation.relatedModel, plan, entries, from, pauses)
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
  from: ItemSource,
): readonly StoredValues[] {
  if (relation.kind === 'inverse') return from.itemsReferencing(relation, owner)
  const held = (from.get(model, owner)?.[relation.name] ?? []) as readonly string[]
  return [...new Set(held)].flatMap((id) => from.get(relation.relatedModel, id) ?? [])
}

/** The places are the page's own, and hold their items. */
async function* itemsOfEntries(
  places: readonly PageEntry[],
): AsyncGenerator<readonly StoredItem[]> {
  if (places.length > 0) yield (places as readonly PositionedItem[]).map(({ item }) => item)
}

/**
 * The items that can satisfy the condition, as they are now: where it names their ids, no others
 * are looked at.
 */
function entriesFor(view: TableView, condition: Condition): readonly TableEntry[] {
  const ids = idsIn(condition)
  return ids === undefined
    ? [...view.values()]
    : [...new Set(ids)].flatMap((id) => view.get(id) ?? [])
}

/** The ids that items must have to satisfy the condition, where it says so plainly. */
function idsIn(condition: Condition): readonly string[] | undefined {
  if (condition.kind === 'and')
    return condition.conditions.map(idsIn).find((ids) => ids !== undefined)
  const isEqual = condition.kind === 'compare' && condition.operator === 'equal'
  if (!isEqual && condition.kind !== 'oneOf') return undefined
  if (condition.path.names.length !== 1 || condition.path.names[0] !== 'id') return undefined
  const values = condition.kind === 'oneOf' ? condition.values : [condition.value]
  return values.filter((value) => typeof value === 'string')
}

function* valuesIn(entries: Iterable<TableEntry>): Iterable<StoredValues> {
  for (const entry of entries) yield entry.values
}
