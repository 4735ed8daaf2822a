import { TimeSlice } from '../../concurrency/time-slice.ts'
import { throwIfAborted, yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { Condition, FieldPath, QueryPlan, Scalar } from '../../query/query-plan.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { matcherOf } from '../evaluation/evaluate.ts'
import type { ItemSource } from '../evaluation/item-source.ts'
import { itemGroups } from '../groups/group-items.ts'
import type { StoreCall } from '../store-call.ts'
import type { PageEntry, RelatedStoredItem, StoreReader } from '../store-reader.ts'
import { executePlan, type PositionedItem } from './execute-plan.ts'
import type { TableEntry, TableView } from './memory-table.ts'

const batchSize = 256

/** Reads tables in the state in which they are when a read begins. */
export function memoryReader(viewOf: (model: ModelDescription) => TableView): StoreReader {
  const source: ItemSource = {
    get: (model, id) => viewOf(model).get(id)?.values,
    itemsReferencing: ({ relatedModel, inverseOf }, id) =>
      Array.from(viewOf(relatedModel).referencing(inverseOf.name, id), ({ values }) => values),
  }

  const execute = (
    model: ModelDescription,
    plan: QueryPlan,
    call: StoreCall | undefined,
  ): Promise<readonly PositionedItem[]> =>
    executePlan(
      model,
      plan,
      entriesFor(viewOf(model), model, plan.condition),
      source,
      new TimeSlice(call),
    )

  return {
    async find(model, condition) {
      const matches = matcherOf(model, condition)
      const view = viewOf(model)
      for (const entry of entriesFor(view, model, condition)) {
        if (matches(entry.values, source)) return entry.item
      }
      return undefined
    },

    list: (model, plan, call) => batchesOf(() => execute(model, plan, call), call),

    async page(model, plan, call) {
      return { entries: await execute(model, plan, call), items: itemsOfEntries }
    },

    async count(model, condition, call) {
      const matches = matcherOf(model, condition)
      let count = 0
      const slice = new TimeSlice(call)
      for (const { values } of entriesFor(viewOf(model), model, condition)) {
        if (matches(values, source)) count++
        if (slice.isOver) await slice.yieldToEventLoop()
      }
      return count
    },

    async groups(model, plan, call) {
      const matches = matcherOf(model, plan.condition)
      const groups = itemGroups(model, plan)
      const slice = new TimeSlice(call)
      for (const { values } of entriesFor(viewOf(model), model, plan.condition)) {
        if (matches(values, source)) groups.add(values, source)
        if (slice.isOver) await slice.yieldToEventLoop()
      }
      return groups.result()
    },

    relatedPages: (model, relation, owners, plan, call) =>
      pagesOf(owners, call, (owner, slice) => {
        const entries = relatedTo(model, relation, owner, source).flatMap(
          ({ id }) => viewOf(relation.relatedModel).get(id) ?? [],
        )
        return executePlan(relation.relatedModel, plan, entries, source, slice)
      }),
  }
}

async function* batchesOf(
  read: () => Promise<readonly PositionedItem[]>,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const items = (await read()).map(({ item }) => item)
  for (let start = 0; start < items.length; start += batchSize) {
    if (start > 0) await yieldToEventLoop()
    throwIfAborted(call)
    yield items.slice(start, start + batchSize)
  }
}

async function* pagesOf(
  owners: readonly string[],
  call: StoreCall | undefined,
  pageOf: (owner: string, slice: TimeSlice) => Promise<readonly PositionedItem[]>,
): AsyncGenerator<readonly RelatedStoredItem[]> {
  for (let start = 0; start < owners.length; start += batchSize) {
    if (start > 0) await yieldToEventLoop()
    throwIfAborted(call)
    const slice = new TimeSlice(call)
    const batch: RelatedStoredItem[] = []
    for (const owner of owners.slice(start, start + batchSize))
      for (const { item, position } of await pageOf(owner, slice))
        batch.push({ ownerId: owner, item, position })
    if (batch.length > 0) yield batch
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

/**
 * The current items that can satisfy the condition: if it names ids, of the items or of those that
 * they relate to, only the items with them.
 */
function entriesFor(
  view: TableView,
  model: ModelDescription,
  condition: Condition,
): readonly TableEntry[] {
  const required = idsIn(condition, model)
  if (!required) return [...view.values()]
  const { name, ids } = required
  const entries = ids.flatMap((id) =>
    name === 'id' ? (view.get(id) ?? []) : [...view.referencing(name, id)],
  )
  return [...new Set(entries)]
}

/** Ids, one of which an item must have, or its relation of this name must hold. */
interface RequiredIds {
  readonly name: string
  readonly ids: readonly string[]
}

/**
 * The ids that the condition requires; undefined if it requires none directly. Where a guard hides
 * the id, it is null.
 */
function idsIn(condition: Condition, model: ModelDescription): RequiredIds | undefined {
  if (condition.kind === 'and')
    return condition.conditions
      .map((operand) => idsIn(operand, model))
      .find((required) => required !== undefined)
  const values = requiredValues(condition)
  if (!values) return undefined
  const { path } = condition as Extract<Condition, { path: FieldPath }>
  const [name] = path.names
  if (path.names.length !== 1 || path.guards?.length) return undefined
  if (name !== 'id' && !model.ownedRelations.some((relation) => relation.name === name))
    return undefined
  // An item without a related one has null.
  if (values.includes(null)) return undefined
  return { name: name!, ids: values.filter((value) => typeof value === 'string') }
}

/** Values, one of which a member of the item must have or hold. */
function requiredValues(condition: Condition): readonly Scalar[] | undefined {
  switch (condition.kind) {
    case 'compare':
      return condition.operator === 'equal' ? [condition.value] : undefined
    case 'oneOf':
      return condition.values
    case 'members':
      return condition.quantity === 'any' ? condition.values : undefined
    default:
      return undefined
  }
}
