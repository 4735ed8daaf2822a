import { oncePer } from '../cache/once-per.ts'
import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import { openPromise } from '../operation/turns.ts'
import type { IncludeNode } from '../rule/selection.ts'
import type { Linked } from '../serializer/outgoing.ts'
import type { Serializer } from '../serializer/serializer.ts'
import { compareText } from '../store/compare.ts'
import { linkageOf, linkedIds } from '../store/linkage.ts'
import { onBehalf } from '../store/on-behalf.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { type Reached, reached } from './include-reach.ts'
import { DocumentRoom, SharedRoom, usualRoom } from './include-room.ts'
import { asksByOwner, type Source, sourcesOf } from './include-sources.ts'
import type { Parts } from './parts.ts'
import { type ToldLinkage, tell, tellHeld } from './told-linkage.ts'

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
  /**
   * What relations lead to, where items do not hold it or only a window of it is asked for, as far as the document has to say it: known
   * for items that were added, and for included ones with the groups.
   */
  readonly linked: Linked
  add(items: readonly StoredItem[]): Promise<void>
  /** Settles once more is found than is kept until it is sent: the document is then large. */
  readonly isLarge: Promise<unknown>
  /** The groups, one for each model that the paths lead to, once all primary items were added. */
  groups(): Promise<readonly IncludedGroup[]>
  /** To be called when the document ends, or is given up. */
  close(): void
}

/** What the paths start from. */
export interface Start {
  readonly model: ModelDescription
  readonly tree: readonly IncludeNode[]
  /** What included paths begin with before they come to the tree, with a dot at its end; empty where the tree is all of them. */
  readonly path: string
  /** `linked`: the document only names the primary items, and they are themselves among the included ones. */
  readonly primary: 'sent' | 'linked'
}

/** Of how many included items, and how many characters, the text is kept between finding and sending them; further ones are read again. */
const keptItems = 2_000
const keptCharacters = 262_144

/** About what an identifier takes in the sets that hold it. */
const bytesOfIdentifier = 128

const roomOf = oncePer((_: Parts) => new SharedRoom(usualRoom))

export function gatherer(parts: Parts, start: Start, linkage: Serializer['linkage'], context: Context): Gatherer {
  const sources = sourcesOf(start.model, start.tree, start.path, linkage)
  const models = modelsOf(start.tree)
  if (start.primary === 'linked') models.add(start.model)
  const primaryIds = start.primary === 'sent' && models.has(start.model) ? new Set<string>() : undefined
  const found: Found = {
    sources,
    primaryIds,
    ids: new Map([...models].map((model) => [model, new Set<string>()])),
    kept: new Map(),
    keptCharacters: 0,
    large: openPromise(),
    room: new DocumentRoom(roomOf(parts), context),
    told: linkage === 'full' ? new Map() : undefined,
  }
  return {
    linked: found.told ?? new Map(),
    isLarge: found.large.promise,
    add: async (items) => {
      for (const item of items) {
        primaryIds?.add(item.id)
        if (start.primary === 'linked') keep(found, start.model, item)
        collect(item, sources, found)
      }
      // The items go out next, so what they do not hold themselves cannot wait.
      for (const source of found.told ? sources : [])
        if (asksByOwner(source)) await reach(parts, context, source, found)
      await roomFor(found)
      found.room.leave()
    },
    groups: async () => {
      for (const source of sources) await expand(parts, context, source, found)
      await roomFor(found)
      found.room.leave()
      return [...found.ids].map(([model, ids]) => {
        if (model === start.model) for (const id of primaryIds ?? []) ids.delete(id)
        return { model, batches: readAgain(parts, context, model, ids, found.kept) }
      })
    },
    close: () => found.room.close(),
  }
}

interface Found {
  readonly sources: readonly Source[]
  readonly primaryIds: ReadonlySet<string> | undefined
  readonly ids: ReadonlyMap<ModelDescription, Set<string>>
  readonly kept: Map<string, StoredItem>
  keptCharacters: number
  readonly large: { readonly promise: Promise<void>; resolve(): void }
  readonly room: DocumentRoom
  /** Undefined where items tell what they hold, and nothing else. */
  readonly told: ToldLinkage | undefined
}

function modelsOf(tree: readonly IncludeNode[]): Set<ModelDescription> {
  return new Set(tree.flatMap(({ relation, children }) => [relation.target, ...modelsOf(children)]))
}

function keep(found: Found, model: ModelDescription, item: StoredItem): void {
  const { ids, kept } = found
  ids.get(model)!.add(item.id)
  found.keptCharacters += item.text.length
  if (kept.size < keptItems && found.keptCharacters <= keptCharacters) kept.set(keyOf(model, item.id), item)
}

/** A large document waits here until there are fewer others that are looked up; its head goes out only then. */
async function roomFor(found: Found): Promise<void> {
  let identifiers = found.primaryIds?.size ?? 0
  for (const ids of found.ids.values()) identifiers += ids.size
  for (const { ids } of found.sources) identifiers += ids.size
  if (identifiers <= keptItems && found.keptCharacters <= keptCharacters) return
  await found.room.enter(identifiers * bytesOfIdentifier + keptCharacters)
  found.large.resolve()
}

function collect(item: StoredItem, sources: readonly Source[], { told }: Found): void {
  let linkage: ReturnType<typeof linkageOf> | undefined
  for (const source of sources) {
    const { relation, ids } = source
    if (relation.kind === 'inverse') {
      ids.add(item.id)
      continue
    }
    linkage ??= linkageOf(item)
    const held = linkedIds(linkage, relation)
    if (source.tellsHeld && told) tellHeld(told, relation, item.id)
    if (asksByOwner(source)) {
      ids.add(item.id)
      source.held.set(item.id, held)
    } else for (const id of held) ids.add(id)
  }
}

async function expand(parts: Parts, context: Context, source: Source, found: Found): Promise<void> {
  const { relation, children, ids, included } = source
  // Identifiers that lead nowhere further need no look before they are sent.
  if (!asksByOwner(source) && children.length === 0) {
    const known = included ? found.ids.get(relation.target) : undefined
    if (known) for (const id of ids) known.add(id)
    return
  }
  await reach(parts, context, source, found)
  for (const child of children) await expand(parts, context, child, found)
}

/** Finds the items that a source leads to, and what they in turn lead to. */
async function reach(parts: Parts, context: Context, source: Source, found: Found): Promise<void> {
  const { relation, children, ids, included, held } = source
  if (ids.size === 0) return
  const { batches, links }: Reached = reached(parts, context, source)
  for await (const batch of batches) {
    for (const item of batch) {
      if (included) keep(found, relation.target, item)
      collect(item, children, found)
    }
    await roomFor(found)
  }
  if (found.told) for (const [owner, { ids, further }] of links()) tell(found.told, relation, owner, ids, further)
  ids.clear()
  held.clear()
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
  yield* fetchByIds(
    onBehalf(parts.store, context),
    model,
    rest.sort(compareText),
    parts.guards.condition(model, context),
  )
}

function keyOf(model: ModelDescription, id: string): string {
  return `${model.name}/${id}`
}
