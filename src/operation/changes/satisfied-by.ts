import { TimeSlice } from '../../concurrency/time-slice.ts'
import type { InverseField, ModelDescription } from '../../model/model-description.ts'
import { always, relatesToAny } from '../../query/conditions.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import { matcherOf } from '../../store/evaluation/evaluate.ts'
import type { ItemSource } from '../../store/evaluation/item-source.ts'
import { maxIdsPerQuery } from '../../store/max-ids-per-query.ts'
import type { StoreCall } from '../../store/store-call.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'

/** Each relation of each path needs one more round. */
const maxRounds = 1_000

/**
 * Which of these items satisfy the condition, whether or not the store still has them. Related
 * items are read as they are now.
 * @param reader reads whole items, because conditions see hidden members
 */
export async function satisfiedBy(
  reader: StoreReader,
  model: ModelDescription,
  items: readonly StoredItem[],
  condition: Condition,
  call: StoreCall,
): Promise<readonly boolean[]> {
  if (condition.kind === 'always' || condition.kind === 'never')
    return items.map(() => condition.kind === 'always')
  const matches = matcherOf(model, condition)
  const source = new LoadedItems(reader, call)
  const values = items.map((item) => readStoredValues(model, item))
  for (let round = 0; round < maxRounds; round++) {
    const slice = new TimeSlice(call)
    const satisfied: boolean[] = []
    for (const each of values) {
      satisfied.push(matches(each, source))
      if (slice.isOver) await slice.yieldToEventLoop()
    }
    if (!source.isMissing) return satisfied
    await source.load()
  }
  throw new Error(`A condition of '${model.name}' leads to related items without an end.`)
}

/** Related items. What a condition asked for and was not there is read before it is asked again. */
class LoadedItems implements ItemSource {
  readonly #reader: StoreReader
  readonly #call: StoreCall
  readonly #items = new Map<ModelDescription, Map<string, StoredValues | undefined>>()
  readonly #referencing = new Map<InverseField, Map<string, readonly StoredValues[]>>()
  #missingItems = new Map<ModelDescription, Set<string>>()
  #missingReferences = new Map<InverseField, Set<string>>()

  constructor(reader: StoreReader, call: StoreCall) {
    this.#reader = reader
    this.#call = call
  }

  get isMissing(): boolean {
    return this.#missingItems.size + this.#missingReferences.size > 0
  }

  get(model: ModelDescription, id: string): StoredValues | undefined {
    const known = this.#items.get(model)
    if (!known?.has(id)) addTo(this.#missingItems, model, id)
    return known?.get(id)
  }

  itemsReferencing(field: InverseField, id: string): readonly StoredValues[] {
    const known = this.#referencing.get(field)?.get(id)
    if (!known) addTo(this.#missingReferences, field, id)
    return known ?? []
  }

  async load(): Promise<void> {
    const [items, references] = [this.#missingItems, this.#missingReferences]
    this.#missingItems = new Map()
    this.#missingReferences = new Map()
    for (const [model, ids] of items) await this.#loadItems(model, ids)
    for (const [field, ids] of references) await this.#loadReferences(field, [...ids])
  }

  async #loadItems(model: ModelDescription, ids: ReadonlySet<string>): Promise<void> {
    const known = this.#items.get(model) ?? new Map<string, StoredValues | undefined>()
    this.#items.set(model, known)
    for (const id of ids) known.set(id, undefined)
    for await (const batch of fetchByIds(this.#reader, model, [...ids], always))
      for (const item of batch) known.set(item.id, readStoredValues(model, item))
  }

  async #loadReferences(field: InverseField, ids: readonly string[]): Promise<void> {
    const known = this.#referencing.get(field) ?? new Map<string, StoredValues[]>()
    this.#referencing.set(field, known)
    const { relatedModel, inverseOf } = field
    const referencing = new Map<string, StoredValues[]>(ids.map((id) => [id, []]))
    for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
      const condition = relatesToAny(
        inverseOf.name,
        inverseOf.kind,
        ids.slice(start, start + maxIdsPerQuery),
      )
      const plan = { ...allItemsPlan, condition }
      for await (const batch of this.#reader.list(relatedModel, plan, this.#call))
        for (const item of batch) {
          const values = readStoredValues(relatedModel, item)
          for (const id of new Set([values[inverseOf.name]].flat()))
            referencing.get(id as string)?.push(values)
        }
    }
    for (const [id, items] of referencing) known.set(id, items)
  }
}

function addTo<Key>(missing: Map<Key, Set<string>>, key: Key, id: string): void {
  const ids = missing.get(key)
  if (ids) ids.add(id)
  else missing.set(key, new Set([id]))
}
