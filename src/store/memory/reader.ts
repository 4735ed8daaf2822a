import type { ManyRelation, ModelDescription } from '../../model/description.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import { fairTurn } from '../fair-turn.ts'
import type { PlacedItem, RelatedItem, StoreReader } from '../store.ts'
import type { StoredItem, StoredValues } from '../stored-item.ts'
import { arrange } from './arrange.ts'
import { matcherOf } from './evaluate.ts'
import { type ItemSource, itemSource } from './item-source.ts'
import type { Entry, TableView } from './table.ts'

const batchSize = 256

/** Answers questions about the tables as they are when the question is asked. */
export function reader(viewOf: (model: ModelDescription) => TableView): StoreReader {
  const source = (): ItemSource =>
    itemSource(
      (model, id) => viewOf(model).get(id)?.values,
      (model) => valuesIn(viewOf(model).values()),
    )

  const answer = (model: ModelDescription, plan: QueryPlan): readonly PlacedItem[] => {
    const view = viewOf(model)
    return arrange(model, plan, valuesIn(entriesFor(view, plan.condition)), source()).map(({ id, position }) => ({
      item: view.get(id)!.item,
      position,
    }))
  }

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
      const items = answer(model, plan).map((placed) => placed.item)
      for (let start = 0; start < items.length; start += batchSize) {
        if (start > 0) await fairTurn()
        caller?.signal.throwIfAborted()
        yield items.slice(start, start + batchSize)
      }
    },

    page: async (model, plan) => answer(model, plan),

    async count(model, condition) {
      const matches = matcherOf(model, condition)
      const from = source()
      let count = 0
      for (const { values } of entriesFor(viewOf(model), condition)) if (matches(values, from)) count++
      return count
    },

    async *relatedPages(model, relation, owners, plan, caller): AsyncGenerator<readonly RelatedItem[]> {
      for (let start = 0; start < owners.length; start += batchSize) {
        if (start > 0) await fairTurn()
        caller?.signal.throwIfAborted()
        const from = source()
        const batch = owners.slice(start, start + batchSize).flatMap((owner) => {
          const related = relatedTo(model, relation, owner, from)
          return arrange(relation.target, plan, related, from).map(
            ({ id, position }): RelatedItem => ({ owner, item: viewOf(relation.target).get(id)!.item, position }),
          )
        })
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

/** The items that can satisfy the condition: where it names their ids, no others are looked at. */
function entriesFor(view: TableView, condition: Condition): Iterable<Entry> {
  const ids = idsIn(condition)
  return ids === undefined ? view.values() : [...new Set(ids)].flatMap((id) => view.get(id) ?? [])
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
