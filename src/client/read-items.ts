import { type Format, type Item, modelOf, type ReceivedDocument } from './format.ts'
import { type IncludeTree, treeOf } from './include-tree.ts'
import { tagItem } from './item-tag.ts'
import type { Manifest, RelationManifest } from './manifest.ts'

/** All items of a document, by the plurals of their models and their ids. */
type Pool = Map<string, Map<string, Item>>

/**
 * The items that a document is about, with included items in the place of their ids.
 * @param header the `ETag` of a response about one item
 */
export function readItems(
  manifest: Manifest,
  format: Format,
  plural: string,
  document: ReceivedDocument,
  include: readonly string[] = [],
  header: string | null = null,
): Item[] {
  const received: ReceivedDocument[] = [format.primary(document, plural) ?? []].flat()
  const read = (model: string, source: ReceivedDocument): Item => {
    const item = format.toItem(source, model)
    tagItem(item, format.version(source, model), null)
    return item
  }
  const items = received.map((source) => read(plural, source))
  if (include.length > 0) {
    const pool: Pool = new Map()
    for (const [model, source] of format.included(document)) {
      const ofModel = pool.get(model) ?? new Map<string, Item>()
      const item = read(model, source)
      pool.set(model, ofModel.set(item.id, item))
    }
    for (const item of items) {
      const ofModel = pool.get(plural) ?? new Map<string, Item>()
      pool.set(plural, ofModel.set(item.id, item))
    }
    const place = placer(manifest, pool)
    const tree = treeOf(include)
    for (const [index, item] of items.entries()) items[index] = place(item, plural, tree)
  }
  if (items[0] && header) tagItem(items[0], undefined, header)
  return items
}

/** Items are copied for each path, because another path may include less of them. */
function placer(
  manifest: Manifest,
  pool: Pool,
): (item: Item, plural: string, tree: IncludeTree) => Item {
  const copies = new Map<IncludeTree, Map<string, Item>>()
  const inverses = new Map<RelationManifest, Map<string, Item[]>>()
  const place = (item: Item, plural: string, tree: IncludeTree): Item => {
    const ofTree = copies.get(tree) ?? new Map<string, Item>()
    copies.set(tree, ofTree)
    const known = ofTree.get(item.id)
    if (known) return known
    const copy: Item = { ...item }
    ofTree.set(item.id, copy)
    const { relations = {} } = modelOf(manifest, plural)
    for (const [name, children] of Object.entries(tree)) {
      const relation = relations[name]
      if (!relation) continue
      const placed = (related: Item | undefined) =>
        related ? [place(related, relation.model, children)] : []
      const found = relatedTo(item, item[name], relation).flatMap(placed)
      // Null also where the caller may not see the related item.
      copy[name] = relation.isMany ? found : (found[0] ?? null)
    }
    return copy
  }
  const relatedTo = (
    item: Item,
    ids: unknown,
    relation: RelationManifest,
  ): readonly (Item | undefined)[] => {
    const related = pool.get(relation.model)
    if (ids !== undefined) return [ids].flat().map((id) => related?.get(id as string))
    if (relation.inverse === undefined) return []
    const byOwner = inverses.get(relation) ?? ownersOf(related, relation.inverse)
    inverses.set(relation, byOwner)
    return byOwner.get(item.id) ?? []
  }
  return place
}

/** Plain REST has no ids of inverse relations: the related items lead back. */
function ownersOf(related: Map<string, Item> | undefined, inverse: string): Map<string, Item[]> {
  const byOwner = new Map<string, Item[]>()
  for (const item of related?.values() ?? [])
    for (const owner of [item[inverse]].flat() as readonly string[]) {
      const items = byOwner.get(owner)
      if (items) items.push(item)
      else byOwner.set(owner, [item])
    }
  return byOwner
}
