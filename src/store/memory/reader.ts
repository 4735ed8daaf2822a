import type { ManyRelation, ModelDescription } from '../../model/description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import { fairTurn } from '../fair-turn.ts'
import type { Caller, Place, RelatedItem, StoreReader } from '../store.ts'
import type { StoredItem, StoredValues } from '../stored-item.ts'
import { arrange, type Placed } from './arrange.ts'
import { matcherOf } from './evaluate.ts'
import { type ItemSource, itemSource } from './item-source.ts'
import { Pauses } from './pauses.ts'
import type { Entry, TableView } from './table.ts'

const batchSize = 256

/** Answers questions about the tables as they are when the question is asked. */
export function reader(viewOf: (model: ModelDescription) => TableView): StoreReader {
  const source = (): ItemSource =>
    itemSource(
      (model, id) => viewOf(model).get(id)?.values,
      (model) => valuesIn(viewOf(model).values()),
    )

  const answer = (model: ModelDescription, plan: QueryPlan, caller: Caller | undefined): Promise<readonly Placed[]> =>
    arrange(model, plan, entriesFor(viewOf(model), plan.condition), source(), new Pauses(caller))

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
        if (start > 0) await fairTurn()
        caller?.signal.throwIfAborted()
        yield items.slice(start, start + batchSize)
      }
    },

    async page(model, plan, caller) {
      const places = await answer(model, plan, caller)
      return { places, items: itemsAt }
    },

    async count(model, condition, caller) {
      const matches = matcherOf(model, condition)
      const from = source()
      let count = 0
      const pauses = new Pauses(caller)
      for (const { values } of entriesFor(viewOf(model), condition)) {
        if (matches(values, from)) count++
        if (pauses.isDue) await pauses.pause()
      }
      return count
    },

    async *relatedPages(model, relation, owners, plan, caller): AsyncGenerator<readonly RelatedItem[]> {
      for (let start = 0; start < owners.length; start += batchSize) {
        if (start > 0) await fairTurn()
        caller?.signal.throwIfAborted()
        const from = source()
        const pauses = new Pauses(caller)
        const batch: RelatedItem[] = []
        for (const owner of owners.slice(start, start + batchSize)) {
          const entries = relatedTo(model, relation, owner, from).flatMap(
            ({ id }) => viewOf(relation.target).get(id) ?? [],
          )
          const page = await arrange(relation.target, plan, entries, from, pauses)
          for (const { item, position } of page) batch.push({ owner, item, position })
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
  if (relation.kind === 'inverse') return from.relating(relation, owner)
  const held = (from.get(model, owner)?.[relation.name] ?? []) as readonly string[]
  return [...new Set(held)].flatMap((id) => from.get(relation.target, id) ?? [])
}

/** The places are the page's own, and hold their items. */
async function* itemsAt(places: readonly Place[]): AsyncGenerator<readonly StoredItem[]> {
  if (places.length > 0) yield (places as readonly Placed[]).map(({ item }) => item)
}

/** The items that can satisfy the condition, as they are now: where it names their ids, no others are looked at. */
function entriesFor(view: TableView, condition: Condition): readonly Entry[] {
  const ids = idsIn(condition)
  return ids === undefined ? [...view.values()] : [...new Set(ids)].flatMap((id) => view.get(id) ?? [])
}

/** The ids that items must have to satisfy the condition, where it says so plainly. */
function idsIn(condition: Condition): readonly string[] | undefined {
  if (condition.kind === 'and') return condition.conditions.map(idsIn).find((ids) => ids !== undefined)
  const isEqual = condition.kind === 'compare' && condition.operator === 'equal'
  if (!isEqual && condition.kind !== 'oneOf') return undefined
  if (condition.path.names.length !== 1 || condition.path.names[0] !== 'id') return undefined
  const values = condition.kind === 'oneOf' ? condition.values : [condition.value]
  return values.filter((value) => typeof value === 'string')
}

function* valuesIn(entries: Iterable<Entry>): Iterable<StoredValues> {
  for (const entry of entries) yield entry.values
}
