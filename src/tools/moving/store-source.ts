import {
  allItemsPlan,
  always,
  type BlobStore,
  idEquals,
  type ModelDescription,
  type PageRange,
  readStoredValues,
  type Store,
  StoredResource,
  type StoredValues,
} from '../../store/public.ts'
import { missingBytes } from './copied-blobs.ts'
import { batchSize, type ItemSource, type MovedItem, nameOf } from './item-source.ts'
import { ListProgress } from './list-progress.ts'
import type { ModelPlan } from './move-plan.ts'

/** A circle of required relations has to be written in one transaction, and is held in memory. */
const maxJoinedItems = 10_000

/** The items of a store. */
export function storeSource(
  store: Store,
  blobs: BlobStore | undefined,
  plans: readonly ModelPlan[],
): ItemSource {
  return {
    async count() {
      const counts = new Map<ModelDescription, number>()
      for (const { model } of plans) counts.set(model, await store.count(model, always))
      return counts
    },
    items: (models) => storeItems(store, models ? selectedPlans(plans, models) : plans),
    async readBlob(resource) {
      const bytes = await blobs?.read(StoredResource.blobKeyOf(resource))
      if (bytes) return bytes
      throw missingBytes('source')
    },
  }
}

/** Items that are written already need not stand beside those that they need. */
function selectedPlans(
  plans: readonly ModelPlan[],
  models: ReadonlySet<ModelDescription>,
): readonly ModelPlan[] {
  return plans.filter(({ model }) => models.has(model)).map((plan) => ({ ...plan, joined: [] }))
}

/** @param progress where to go on */
export async function* storeItems(
  store: Store,
  plans: readonly ModelPlan[],
  progress: ListProgress = new ListProgress(),
): AsyncGenerator<readonly MovedItem[]> {
  for (const plan of plans) {
    if (progress.isFinished(plan.model)) continue
    for await (const batch of listValues(store, plan.model, progress)) {
      yield plan.joined.length === 0
        ? batch.map((values) => ({ model: plan.model, values, isJoined: false }))
        : await joinedItems(store, plans, plan, batch, progress)
    }
    progress.finish(plan.model)
  }
}

async function* listValues(
  store: Store,
  model: ModelDescription,
  progress: ListProgress,
): AsyncGenerator<readonly StoredValues[]> {
  const pageRange = remainingItems(progress, model)
  for await (const batch of store.list(model, { ...allItemsPlan, pageRange }))
    for (let start = 0; start < batch.length; start += batchSize)
      yield batch.slice(start, start + batchSize).map((item) => readStoredValues(model, item))
}

/** What the list of a model has not got to, in the order of the store. */
function remainingItems(progress: ListProgress, model: ModelDescription): PageRange {
  const cursor = progress.cursorOf(model)
  return cursor === undefined
    ? allItemsPlan.pageRange
    : { kind: 'after', position: [cursor], limit: Number.POSITIVE_INFINITY }
}

/** The item, unless it was taken already, or does not exist. */
async function findRemaining(
  store: Store,
  progress: ListProgress,
  model: ModelDescription,
  id: string,
): Promise<StoredValues | undefined> {
  if (progress.isFinished(model) || progress.isTakenEarly(model, id)) return undefined
  const pageRange = remainingItems(progress, model)
  for await (const [item] of store.list(model, {
    ...allItemsPlan,
    condition: idEquals(id),
    pageRange,
  }))
    return readStoredValues(model, item!)
  return undefined
}

/** Puts before each item those that its required relations lead to, unless they were taken. */
async function joinedItems(
  store: Store,
  plans: readonly ModelPlan[],
  plan: ModelPlan,
  batch: readonly StoredValues[],
  progress: ListProgress,
): Promise<readonly MovedItem[]> {
  const items: MovedItem[] = []
  for (const values of batch) {
    const isTaken = progress.isTakenEarly(plan.model, values.id)
    progress.list(plan.model, values.id)
    if (isTaken) continue
    const group = [{ plan, values }]
    for (let index = 0; index < group.length; index++) {
      const member = group[index]!
      for (const { name, relatedModel } of member.plan.joined) {
        const id = member.values[name]
        if (typeof id !== 'string') continue
        const target = await findRemaining(store, progress, relatedModel, id)
        if (!target) continue
        if (group.length === maxJoinedItems) throw tooManyJoined(plan.model, values.id, name)
        progress.takeEarly(relatedModel, id)
        group.push({
          plan: plans.find(({ model }) => model === relatedModel)!,
          values: target,
        })
      }
    }
    items.push(
      ...group
        .map((member, index) => ({
          model: member.plan.model,
          values: member.values,
          isJoined: index > 0,
        }))
        .reverse(),
    )
  }
  return items
}

function tooManyJoined(model: ModelDescription, id: string, relation: string): Error {
  return new Error(
    `Cannot move ${nameOf(model, id)}: its required relation '${relation}' leads to more than ${maxJoinedItems} items, which would have to be written in one transaction.`,
  )
}
