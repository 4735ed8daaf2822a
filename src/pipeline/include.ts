import type { Context } from '../context/context.ts'
import type { InverseField, ModelDescription } from '../model/description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import { both, relatesTo } from '../query/conditions.ts'
import { everything } from '../query/query-plan.ts'
import type { IncludeNode } from '../rule/selection.ts'
import type { Linked } from '../serializer/outgoing.ts'
import type { Serializer } from '../serializer/serializer.ts'
import { linkageOf, linkedIds } from '../store/linkage.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { type Source, sourcesOf } from './include-sources.ts'
import type { Parts } from './parts.ts'

/** Included items of one model, in batches. */
export interface IncludedGroup {
  readonly model: ModelDescription
  readonly batches: AsyncIterable<readonly StoredItem[]>
}

/**
 * Gathers what primary items relate to while they go by, and then reads the related items: one question per relation and level, however
 * many items there are, each item once, none that is primary data, and none that its own model's middleware hides.
 */
export interface Gatherer {
  /** What inverse relations hold, as far as the document has to say it: known for items that were added, and for included ones with the groups. */
  readonly linked: Linked
  add(items: readonly StoredItem[]): Promise<void>
  /** The groups, one for each model that the paths lead to, once all primary items were added. */
  groups(): Promise<readonly IncludedGroup[]>
}

/** What the paths start from. */
export interface Start {
  readonly model: ModelDescription
  readonly tree: readonly IncludeNode[]
  /** `linked`: the document only names the primary items, and they are themselves among the included ones. */
  readonly primary: 'sent' | 'linked'
}

/** Of how many included items the text is kept between finding and sending them; further ones are read again. */
const keptItems = 2_000
const batchSize = 500

export function gatherer(parts: Parts, start: Start, linkage: Serializer['linkage'], context: Context): Gatherer {
  const sources = sourcesOf(start.model, start.tree, linkage)
  const models = modelsOf(start.tree)
  if (start.primary === 'linked') models.add(start.model)
  const primaryIds = start.primary === 'sent' && models.has(start.model) ? new Set<string>() : undefined
  const found: Found = {
    ids: new Map([...models].map((model) => [model, new Set<string>()])),
    kept: new Map(),
    linked: linkage === 'full' ? new Map() : undefined,
  }
  return {
    linked: found.linked ?? new Map(),
    add: async (items) => {
      for (const item of items) {
        primaryIds?.add(item.id)
        if (start.primary === 'linked') keep(found, start.model, item)
        collect(item, sources)
      }
      // The items go out next, so what their inverse relations hold cannot wait.
      for (const source of found.linked ? sources : [])
        if (source.relation.kind === 'inverse') await reach(parts, context, source, found)
    },
    groups: async () => {
      for (const source of sources) await expand(parts, context, source, found)
      return [...found.ids].map(([model, ids]) => {
        if (model === start.model) for (const id of primaryIds ?? []) ids.delete(id)
        return { model, batches: readAgain(parts, context, model, ids, found.kept) }
      })
    },
  }
}

interface Found {
  readonly ids: ReadonlyMap<ModelDescription, Set<string>>
  readonly kept: Map<string, StoredItem>
  /** Undefined where inverse relations are not told. */
  readonly linked: Map<InverseField, Map<string, Set<string>>> | undefined
}

function modelsOf(tree: readonly IncludeNode[]): Set<ModelDescription> {
  return new Set(tree.flatMap(({ relation, children }) => [relation.target, ...modelsOf(children)]))
}

function keep({ ids, kept }: Found, model: ModelDescription, item: StoredItem): void {
  ids.get(model)!.add(item.id)
  if (kept.size < keptItems) kept.set(keyOf(model, item.id), item)
}

function collect(item: StoredItem, sources: readonly Source[]): void {
  let linkage: ReturnType<typeof linkageOf> | undefined
  for (const { relation, ids } of sources) {
    if (relation.kind === 'inverse') {
      ids.add(item.id)
      continue
    }
    linkage ??= linkageOf(item)
    for (const id of linkedIds(linkage, relation)) ids.add(id)
  }
}

async function expand(parts: Parts, context: Context, source: Source, found: Found): Promise<void> {
  const { relation, children, ids } = source
  // Identifiers that lead nowhere further need no look before they are sent.
  if (relation.kind !== 'inverse' && children.length === 0) {
    const known = found.ids.get(relation.target)!
    for (const id of ids) known.add(id)
    return
  }
  await reach(parts, context, source, found)
  for (const child of children) await expand(parts, context, child, found)
}

/** Finds the items that a source leads to, and what they in turn lead to. */
async function reach(parts: Parts, context: Context, source: Source, found: Found): Promise<void> {
  const { relation, children, ids, included } = source
  const linked = relation.kind === 'inverse' ? startLinks(found, relation, ids) : undefined
  for await (const batch of reached(parts, context, source)) {
    for (const item of batch) {
      if (included) keep(found, relation.target, item)
      collect(item, children)
      if (relation.kind === 'inverse' && linked)
        for (const id of linkedIds(linkageOf(item), relation.of)) if (ids.has(id)) linked.get(id)!.add(item.id)
    }
  }
  ids.clear()
}

function startLinks({ linked }: Found, relation: InverseField, ids: ReadonlySet<string>) {
  if (!linked) return undefined
  const held = linked.get(relation) ?? new Map<string, Set<string>>()
  linked.set(relation, held)
  for (const id of ids) held.set(id, new Set())
  return held
}

async function* reached(
  { store, guards }: Parts,
  context: Context,
  source: Source,
): AsyncGenerator<readonly StoredItem[]> {
  const { relation } = source
  const { target } = relation
  const ids = [...source.ids]
  const guard = guards.condition(target, context)
  if (relation.kind !== 'inverse') {
    yield* fetchByIds(store, target, ids, guard)
    return
  }
  for (let start = 0; start < ids.length; start += batchSize) {
    const condition = both(relatesTo(relation.of.name, relation.of.kind, ids.slice(start, start + batchSize)), guard)
    yield* store.list(target, { ...everything, condition })
  }
}

async function* readAgain(
  parts: Parts,
  context: Context,
  model: ModelDescription,
  ids: ReadonlySet<string>,
  kept: ReadonlyMap<string, StoredItem>,
): AsyncGenerator<readonly StoredItem[]> {
  const keptHere = [...ids].flatMap((id) => kept.get(keyOf(model, id)) ?? [])
  if (keptHere.length > 0) yield keptHere
  const rest = keptHere.length === 0 ? [...ids] : [...ids].filter((id) => !kept.has(keyOf(model, id)))
  yield* fetchByIds(parts.store, model, rest, parts.guards.condition(model, context))
}

function keyOf(model: ModelDescription, id: string): string {
  return `${model.name}/${id}`
}
