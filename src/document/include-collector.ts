import { promiseWithResolvers } from '../concurrency/promise-with-resolvers.ts'
import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import { compareText } from '../query/compare.ts'
import type { IncludeNode } from '../rule/selection.ts'
import type { CollectedLinkage } from '../serializer/outgoing-item.ts'
import type { Serializer } from '../serializer/serializer.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import { linkageOf, linkedIds } from '../stored-item/linkage.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { bytesPerIdentifier, type DocumentBudget, maxUnbudgetedIds } from './document-budget.ts'
import type { DocumentServices } from './document-services.ts'
import { type IncludeSource, includeSources, isReadByOwner } from './include-sources.ts'
import { addLinkage, addStoredLinkage, type LinkageCollector } from './linkage-collector.ts'
import { type IncludeSourceItems, readIncludeSource } from './read-include-source.ts'
import type { LargeDocument } from './whole-or-stream.ts'

/** The included items of one model, in batches. */
interface IncludedGroup {
  readonly model: ModelDescription
  readonly batches: AsyncIterable<readonly StoredItem[]>
}

/**
 * Collects the ids that primary items relate to while they are written, and then reads the related
 * items: one query per relation and level, each item once, without primary items, and without items
 * that their model's middleware hides.
 */
export interface IncludeCollector extends LargeDocument {
  /**
   * The linkage that items do not hold themselves, or of which the request selects a page. It is
   * complete for items that were added, and for included items once `readGroups` has returned.
   */
  readonly collectedLinkage: CollectedLinkage
  add(items: readonly StoredItem[]): Promise<void>
  /** One group for each model on the paths. Call it after all primary items were added. */
  readGroups(): Promise<readonly IncludedGroup[]>
}

/** Where the include paths start. */
export interface IncludeStart {
  readonly model: ModelDescription
  readonly tree: readonly IncludeNode[]
  /**
   * The part of the include paths before the tree, with a dot at its end; empty where the tree is
   * the whole path.
   */
  readonly pathPrefix: string
  /**
   * `identifiers`: the document only names the primary items, and they are among the included
   * items.
   */
  readonly primary: 'items' | 'identifiers'
}

/** Characters of the included items that are kept until they are written. */
const maxCachedCharacters = 262_144

/** @param budget the share of the whole document; whoever opened it closes it */
export function includeCollector(
  services: DocumentServices,
  start: IncludeStart,
  linkage: Serializer['linkage'],
  context: Context,
  budget: DocumentBudget,
): IncludeCollector {
  const sources = includeSources(start.model, start.tree, start.pathPrefix, linkage)
  const models = includedModels(start.tree)
  if (start.primary === 'identifiers') models.add(start.model)
  const primaryIds =
    start.primary === 'items' && models.has(start.model) ? new Set<string>() : undefined
  const state: CollectorState = {
    sources,
    primaryIds,
    ids: new Map([...models].map((model) => [model, new Set<string>()])),
    cachedItems: new Map([...models].map((model) => [model, new Map<string, StoredItem>()])),
    cachedCount: 0,
    cachedCharacters: 0,
    whenLarge: promiseWithResolvers(),
    budget,
    linkageBytes: budget.usedBytes,
    linkageCollector: linkage === 'full' ? new Map() : undefined,
  }
  return {
    collectedLinkage: state.linkageCollector ?? new Map(),
    // Settles when there are more included items than the collector caches.
    whenLarge: state.whenLarge.promise,
    reserve: async () => {
      await budget.acquire()
      budget.release()
    },
    add: async (items) => {
      for (const item of items) {
        primaryIds?.add(item.id)
        if (start.primary === 'identifiers') addIncludedItem(state, start.model, item)
        collectTargets(item, sources, state)
      }
      // The items are written next, so the linkage that they do not hold is needed now.
      for (const source of state.linkageCollector ? sources : [])
        if (isReadByOwner(source)) await collectSource(services, context, source, state)
      await reserveBudget(state)
      state.budget.release()
    },
    readGroups: async () => {
      for (const source of sources) await resolveSource(services, context, source, state)
      await reserveBudget(state)
      state.budget.release()
      return [...state.ids].map(([model, ids]) => {
        if (model === start.model) for (const id of primaryIds ?? []) ids.delete(id)
        return {
          model,
          batches: readIncluded(services, context, model, ids, state.cachedItems.get(model)!),
        }
      })
    },
  }
}

interface CollectorState {
  readonly sources: readonly IncludeSource[]
  readonly primaryIds: ReadonlySet<string> | undefined
  readonly ids: ReadonlyMap<ModelDescription, Set<string>>
  /** By model and id. */
  readonly cachedItems: Map<ModelDescription, Map<string, StoredItem>>
  cachedCount: number
  cachedCharacters: number
  readonly whenLarge: { readonly promise: Promise<void>; resolve(): void }
  readonly budget: DocumentBudget
  /** What the document held before it collected anything: the ids of its linkage. */
  readonly linkageBytes: number
  /** Undefined where items show only the linkage that they hold. */
  readonly linkageCollector: LinkageCollector | undefined
}

function includedModels(tree: readonly IncludeNode[]): Set<ModelDescription> {
  return new Set(
    tree.flatMap(({ relation, children }) => [relation.relatedModel, ...includedModels(children)]),
  )
}

function addIncludedItem(state: CollectorState, model: ModelDescription, item: StoredItem): void {
  state.ids.get(model)!.add(item.id)
  state.cachedCharacters += item.text.length
  if (state.cachedCount >= maxUnbudgetedIds || state.cachedCharacters > maxCachedCharacters) return
  state.cachedCount++
  state.cachedItems.get(model)!.set(item.id, item)
}

/**
 * A large document waits here until fewer others look up included items. Its head is sent only
 * then.
 */
async function reserveBudget(state: CollectorState): Promise<void> {
  let identifiers = state.primaryIds?.size ?? 0
  for (const ids of state.ids.values()) identifiers += ids.size
  for (const { ids } of state.sources) identifiers += ids.size
  if (identifiers <= maxUnbudgetedIds && state.cachedCharacters <= maxCachedCharacters) return
  await state.budget.acquire(
    state.linkageBytes + identifiers * bytesPerIdentifier + maxCachedCharacters,
  )
  state.whenLarge.resolve()
}

function collectTargets(
  item: StoredItem,
  sources: readonly IncludeSource[],
  { linkageCollector }: CollectorState,
): void {
  let linkage: ReturnType<typeof linkageOf> | undefined
  for (const source of sources) {
    const { relation, ids } = source
    if (relation.kind === 'inverse') {
      ids.add(item.id)
      continue
    }
    linkage ??= linkageOf(item)
    const storedIds = linkedIds(linkage, relation)
    if (source.needsStoredLinkage && linkageCollector)
      addStoredLinkage(linkageCollector, relation, item.id)
    if (isReadByOwner(source)) {
      ids.add(item.id)
      source.storedLinkage.set(item.id, storedIds)
    } else for (const id of storedIds) ids.add(id)
  }
}

async function resolveSource(
  services: DocumentServices,
  context: Context,
  source: IncludeSource,
  state: CollectorState,
): Promise<void> {
  const { relation, children, ids, isIncluded } = source
  // The ids of a relation that leads no further are known without a query.
  if (!isReadByOwner(source) && children.length === 0) {
    const modelIds = isIncluded ? state.ids.get(relation.relatedModel) : undefined
    if (modelIds) for (const id of ids) modelIds.add(id)
    return
  }
  await collectSource(services, context, source, state)
  for (const child of children) await resolveSource(services, context, child, state)
}

/** Reads the items behind a source, and collects what they relate to. */
async function collectSource(
  services: DocumentServices,
  context: Context,
  source: IncludeSource,
  state: CollectorState,
): Promise<void> {
  const { relation, children, ids, isIncluded, storedLinkage } = source
  if (ids.size === 0) return
  const { batches, links }: IncludeSourceItems = readIncludeSource(services, context, source)
  for await (const batch of batches) {
    for (const item of batch) {
      if (isIncluded) addIncludedItem(state, relation.relatedModel, item)
      collectTargets(item, children, state)
    }
    await reserveBudget(state)
  }
  if (state.linkageCollector)
    for (const [owner, { ids, page }] of links())
      addLinkage(state.linkageCollector, relation, owner, ids, page)
  ids.clear()
  storedLinkage.clear()
}

async function* readIncluded(
  services: DocumentServices,
  context: Context,
  model: ModelDescription,
  ids: ReadonlySet<string>,
  cachedItems: ReadonlyMap<string, StoredItem>,
): AsyncGenerator<readonly StoredItem[]> {
  const cached: StoredItem[] = []
  const otherIds: string[] = []
  for (const id of ids) {
    const item = cachedItems.get(id)
    if (item) cached.push(item)
    else otherIds.push(id)
  }
  if (cached.length > 0) yield cached
  yield* fetchByIds(
    storeForCaller(services.store, context),
    model,
    otherIds.sort(compareText),
    services.guards.readCondition(model, context),
  )
}
