import type { ModelDescription } from '../model/model-description.ts'
import type { StoreReader } from '../store/store.ts'
import { linkageOf, linkedIds } from '../stored-item/linkage.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { nameOf } from './item-source.ts'
import { findItems } from './target-items.ts'

interface WrittenItem {
  readonly model: ModelDescription
  readonly item: StoredItem
}

/**
 * An error that names the first relation of these items that leads to an item which the store does
 * not have; undefined if there is none.
 */
export async function findMissingTarget(
  store: StoreReader,
  written: readonly WrittenItem[],
): Promise<Error | undefined> {
  const keys = new Set(written.map(({ model, item }) => keyOf(model, item.id)))
  const links = written.flatMap(({ model, item }) => {
    const linkage = linkageOf(item)
    return model.ownedRelations.flatMap((relation) =>
      linkedIds(linkage, relation)
        .filter((id) => !keys.has(keyOf(relation.relatedModel, id)))
        .map((id) => ({ model, item, relation, id })),
    )
  })
  for (const related of new Set(links.map(({ relation }) => relation.relatedModel))) {
    const ofModel = links.filter(({ relation }) => relation.relatedModel === related)
    const existing = await findItems(store, related, [...new Set(ofModel.map(({ id }) => id))])
    const missing = ofModel.find(({ id }) => !existing.has(id))
    if (missing)
      return new Error(
        `Cannot write ${nameOf(missing.model, missing.item.id)}: '${missing.relation.name}' leads to ${nameOf(related, missing.id)}, which does not exist.`,
      )
  }
  return undefined
}

function keyOf({ name }: ModelDescription, id: string): string {
  return `${name} ${id}`
}
