import { memoizeBy } from '../cache/memoize-by.ts'
import { promiseWithResolvers } from '../concurrency/item-lock.ts'
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
import { DocumentBudget, defaultIncludeLimits, SharedIncludeBudget } from './include-budget.ts'
import { type IncludeSource, includeSources, isReadByOwner } from './include-sources.ts'
import { addLinkage, addStoredLinkage, type LinkageCollector } from './linkage-collector.ts'
import { type IncludeSourceItems, readIncludeSource } from './read-include-source.ts'
import type { RouterServices } from './router-services.ts'

/** Included items of one model, in batches. */
export interface IncludedGroup {
  readonly model: ModelDescription
  readonly batches: AsyncIterable<readonly StoredItem[]>
}

/**
 * Gathers what primary items relate to while they go by, and then reads the related items: one
 * question per relation and level, however many items there are, each item once, none that is
 * primary data, and none that its own model's middleware hides.
 */
export interface IncludeCollector {
  /**
   * What relations lead to, where items do not hold it or only a window of it is asked for, as far
   * as the document has to say it: known for items that were added, and for included ones with the
   * groups.
   */
  readonly collectedLinkage: CollectedLinkage
  add(items: readonly StoredItem[]): Promise<void>
  /** Settles once more is found than is kept until it is sent: the document is then large. */
  readonly whenLarge: Promise<unknown>
  /** The groups, one for each model that the paths lead to, once all primary items were added. */
  readGroups(): Promise<readonly IncludedGroup[]>
  /** To be called when the document ends, or is given up. */
  close(): void
}

/** What the paths start from. */
export interface IncludeStart {
  readonly model: ModelDescription
  readonly tree: readonly IncludeNode[]
  /**
   * What included paths begin with before they come to the tree, with a dot at its end; empty where
   * the tree is all of them.
   */
  readonly pathPrefix: string
  /**
   * `linked`: the document only names the primary items, and they are themselves among the included
   * ones.
   */
  readonly primary: 'sent' | 'linked'
}

/**
 * Of how many included items, and how many characters, the text is kept between finding and sending
 * them; further ones are read again.
 */
const maxCachedItems = 2_000
const maxCachedCharacters = 262_144

/** About what an identifier takes in the sets that hold it. */
const bytesPerIdentifier = 128

const budgetOf = memoizeBy((_: RouterServices) => new SharedIncludeBudget(defaultIncludeLimits))

export function includeCollector(
  parts: RouterServices,
  start: IncludeStart,
  linkage: Serializer['linkage'],
  context: Context,
): IncludeCollector {
  const sources = includeSources(start.model, start.tree, start.pathPrefix, linkage)
  const models = includedModels(start.tree)
  if (start.primary === 'linked') models.add(start.model)
  const primaryIds =
    start.primary === 'sent' && models.has(start.model) ? new Set<string>() : undefined
  const found: CollectorState = {
    sources,
    primaryIds,
    ids: new Map([...models].map((model) => [model, new Set<string>()])),
    cachedItems: new Map(),
    cachedCharacters: 0,
    largeSignal: promiseWithResolvers(),
    budget: new DocumentBudget(budgetOf(parts), context),
    linkageCollector: linkage === 'full' ? new Map() : undefined,
  }
  return {
    collectedLinkage: found.linkageCollector ?? new Map(),
    whenLarge: found.largeSignal.promise,
    add: async (items) => {
      for (const item of items) {
        primaryIds?.add(item.id)
        if (start.primary === 'linked') addIncludedItem(found, start.model, item)
        collectTargets(item, sources, found)
      }
      // The items go out next, so what they do not hold themselves cannot wait.
      for (const source of found.linkageCollector ? sources : [])
        if (isReadByOwner(source)) await collectSource(parts, context, source, found)
      await reserveBudget(found)
      found.budget.release()
    },
    readGroups: async () => {
      for (const source of sources) await resolveSource(parts, context, source, found)
      await reserveBudget(found)
      found.budget.release()
      return [...found.ids].map(([model, ids]) => {
        if (model === start.model) for (const id of primaryIds ?? []) ids.delete(id)
        return { model, batches: readIncluded(parts, context, model, ids, found.cachedItems) }
      })
    },
    close: () => found.budget.close(),
  }
}

interface CollectorState {
  readonly sources: readonly IncludeSource[]
  readonly primaryIds: ReadonlySet<string> | undefined
  readonly ids: ReadonlyMap<ModelDescription, Set<string>>
  readonly cachedItems: Map<string, StoredItem>
  cachedCharacters: number
  readonly largeSignal: { readonly promise: Promise<void>; resolve(): void }
  readonly budget: DocumentBudget
  /** Undefined where items tell what they hold, and nothing else. */
  readonly linkageCollector: LinkageCollector | undefined
}

function includedModels(tree: readonly IncludeNode[]): Set<ModelDescription> {
  return new Set(
    tree.flatMap(({ relation, children }) => [relation.relatedModel, ...includedModels(children)]),
  )
}

function addIncludedItem(found: CollectorState, model: ModelDescription, item: StoredItem): void {
  const { ids, cachedItems } = found
  ids.get(model)!.add(item.id)
  found.cachedCharacters += item.text.length
  if (cachedItems.size < maxCachedItems && found.cachedCharacters <= maxCachedCharacters)
    cachedItems.set(itemKey(model, item.id), item)
}

/**
 * A large document waits here until there are fewer others that are looked up; its head goes out
 * only then.
 */
async function reserveBudget(found: CollectorState): Promise<void> {
  let identifiers = found.primaryIds?.size ?? 0
  for (const ids of found.ids.values()) identifiers += ids.size
  for (const { ids } of found.sources) identifiers += ids.size
  if (identifiers <= maxCachedItems && found.cachedCharacters <= maxCachedCharacters) return
  await found.budget.acquire(identifiers * bytesPerIdentifier + maxCachedCharacters)
  found.largeSignal.resolve()
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
    const held = linkedIds(linkage, relation)
    if (source.needsStoredLinkage && linkageCollector)
      addStoredLinkage(linkageCollector, relation, item.id)
    if (isReadByOwner(source)) {
      ids.add(item.id)
      source.storedLinkage.set(item.id, held)
    } else for (const id of held) ids.add(id)
  }
}

async function resolveSource(
  parts: RouterServices,
  context: Context,
  source: IncludeSource,
  found: CollectorState,
): Promise<void> {
  const { relation, children, ids, isIncluded } = source
  // Identifiers that lead nowhere further need no look before they are sent.
  if (!isReadByOwner(source) && children.length === 0) {
    const known = isIncluded ? found.ids.get(relation.relatedModel) : undefined
    if (known) for (const id of ids) known.add(id)
    return
  }
  await collectSource(parts, context, source, found)
  for (const child of children) await resolveSource(parts, context, child, found)
}

/** Finds the items that a source leads to, and what they in turn lead to. */
async function collectSource(
  parts: RouterServices,
  context: Context,
  source: IncludeSource,
  found: CollectorState,
): Promise<void> {
  const { relation, children, ids, isIncluded, storedLinkage } = source
  if (ids.size === 0) return
  const { batches, links }: IncludeSourceItems = readIncludeSource(parts, context, source)
  for await (const batch of batches) {
    for (const item of batch) {
      if (isIncluded) addIncludedItem(found, relation.relatedModel, item)
      collectTargets(item, children, found)
    }
    await reserveBudget(found)
  }
  if (found.linkageCollector)
    for (const [owner, { ids, page }] of links())
      addLinkage(found.linkageCollector, relation, owner, ids, page)
  ids.clear()
  storedLinkage.clear()
}

async function* readIncluded(
  parts: RouterServices,
  context: Context,
  model: ModelDescription,
  ids: ReadonlySet<string>,
  kept: ReadonlyMap<string, StoredItem>,
): AsyncGenerator<readonly StoredItem[]> {
  const keptHere = [...ids].flatMap((id) => kept.get(itemKey(model, id)) ?? [])
  if (keptHere.length > 0) yield keptHere
  const rest =
    keptHere.length === 0 ? [...ids] : [...ids].filter((id) => !kept.has(itemKey(model, id)))
  yield* fetchByIds(
    storeForCaller(parts.store, context),
    model,
    rest.sort(compareText),
    parts.guards.readCondition(model, context),
  )
}

function itemKey(model: ModelDescription, id: string): string {
  return `${model.name}/${id}`
}
