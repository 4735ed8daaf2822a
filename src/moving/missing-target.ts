import { ApiError } from '../error/api-error.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { StoreUnavailable } from '../store/store-failures.ts'
import type { StoreReader } from '../store/store-reader.ts'
import { itemKey } from '../stored-item/item-key.ts'
import { linkageOf, linkedIds } from '../stored-item/linkage.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { nameOf } from './item-source.ts'
import { findItems } from './target-items.ts'

interface WrittenItem {
  readonly model: ModelDescription
  readonly item: StoredItem
}

/** An item with a relation that leads to an item which does not exist. */
export interface MissingTarget extends WrittenItem {
  /** Without a full stop: `'author' leads to the author 'herbert', which does not exist`. */
  readonly reason: string
}

/**
 * The first of these items with a relation to an item that the store does not have; undefined if
 * there is none. Databases check foreign keys at the end of a transaction, and name no item.
 */
async function findMissingTarget(
  store: StoreReader,
  written: readonly WrittenItem[],
): Promise<MissingTarget | undefined> {
  const keys = new Set(written.map(({ model, item }) => itemKey(model, item.id)))
  const links = written.flatMap(({ model, item }) => {
    const linkage = linkageOf(item)
    return model.ownedRelations.flatMap((relation) =>
      linkedIds(linkage, relation)
        .filter((id) => !keys.has(itemKey(relation.relatedModel, id)))
        .map((id) => ({ model, item, relation, id })),
    )
  })
  for (const related of new Set(links.map(({ relation }) => relation.relatedModel))) {
    const ofModel = links.filter(({ relation }) => relation.relatedModel === related)
    const existing = await findItems(store, related, [...new Set(ofModel.map(({ id }) => id))])
    const missing = ofModel.find(({ id }) => !existing.has(id))
    if (missing)
      return {
        model: missing.model,
        item: missing.item,
        reason: `'${missing.relation.name}' leads to ${nameOf(related, missing.id)}, which does not exist`,
      }
  }
  return undefined
}

/**
 * The error to throw instead of one that does not name the item.
 * @param toError makes it of what is missing
 */
export async function explained(
  store: StoreReader,
  written: readonly WrittenItem[],
  error: unknown,
  toError: (missing: MissingTarget) => Error,
): Promise<unknown> {
  if (!(error instanceof StoreUnavailable || error instanceof ApiError)) return error
  const missing = await findMissingTarget(store, written).catch(() => undefined)
  return missing ? toError(missing) : error
}
