import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import { both, relatesTo } from '../query/conditions.ts'
import { everything } from '../query/query-plan.ts'
import type { IncludeNode } from '../rule/selection.ts'
import { linkageOf, linkedIds } from '../store/linkage.ts'
import type { StoredItem } from '../store/stored-item.ts'
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
  add(items: readonly StoredItem[]): void
  /** The groups, one for each model that the paths lead to, once all primary items were added. */
  groups(): Promise<readonly IncludedGroup[]>
}

/** Of how many included items the text is kept between finding and sending them; further ones are read again. */
const keptItems = 2_000
const batchSize = 500

export function gatherer(
  parts: Parts,
  primary: ModelDescription,
  tree: readonly IncludeNode[],
  context: Context,
): Gatherer {
  const sources = tree.map((node) => ({ node, ids: new Set<string>() }))
  const models = modelsOf(tree)
  const primaryIds = models.has(primary) ? new Set<string>() : undefined
  return {
    add: (items) => {
      for (const item of items) {
        primaryIds?.add(item.id)
        collect(item, sources)
      }
    },
    groups: async () => {
      const found: Found = { ids: new Map([...models].map((model) => [model, new Set<string>()])), kept: new Map() }
      for (const source of sources) await expand(parts, context, source, found)
      return [...found.ids].map(([model, ids]) => {
        if (model === primary) for (const id of primaryIds ?? []) ids.delete(id)
        return { model, batches: readAgain(parts, context, model, ids, found.kept) }
      })
    },
  }
}

/** What a node of the tree starts from: the ids it leads to, or for an inverse the ids it comes from. */
interface Source {
  readonly node: IncludeNode
  readonly ids: Set<string>
}

interface Found {
  readonly ids: ReadonlyMap<ModelDescription, Set<string>>
  readonly kept: Map<string, StoredItem>
}

function modelsOf(tree: readonly IncludeNode[]): Set<ModelDescription> {
  return new Set(tree.flatMap(({ relation, children }) => [relation.target, ...modelsOf(children)]))
}

function collect(item: StoredItem, sources: readonly Source[]): void {
  let linkage: ReturnType<typeof linkageOf> | undefined
  for (const { node, ids } of sources) {
    if (node.relation.kind === 'inverse') {
      ids.add(item.id)
      continue
    }
    linkage ??= linkageOf(item)
    for (const id of linkedIds(linkage, node.relation)) ids.add(id)
  }
}

async function expand(parts: Parts, context: Context, { node, ids }: Source, found: Found): Promise<void> {
  const { relation, children } = node
  const known = found.ids.get(relation.target)!
  // Identifiers that lead nowhere further need no look before they are sent.
  if (relation.kind !== 'inverse' && children.length === 0) {
    for (const id of ids) known.add(id)
    return
  }
  const next = children.map((child) => ({ node: child, ids: new Set<string>() }))
  for await (const batch of reached(parts, context, node, [...ids])) {
    for (const item of batch) {
      known.add(item.id)
      if (found.kept.size < keptItems) found.kept.set(keyOf(relation.target, item.id), item)
      collect(item, next)
    }
  }
  for (const source of next) await expand(parts, context, source, found)
}

async function* reached(
  { store, guards }: Parts,
  context: Context,
  { relation }: IncludeNode,
  ids: readonly string[],
): AsyncGenerator<readonly StoredItem[]> {
  const { target } = relation
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
