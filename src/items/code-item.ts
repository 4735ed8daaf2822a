import type { AnyModel } from '../model/declare/model.ts'
import type { CodeItem } from '../model/items/item-types.ts'
import type { ReadItemOptions } from '../model/items/items.ts'
import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { type ModelViews, readableValues } from '../model/model-view.ts'
import { relatedInstances } from '../operation/model-instance.ts'
import { fetchRelatedItems, type RelatedItemsByModel } from '../operation/related-items.ts'
import { toCodeValues } from '../stored-item/code-values.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { codeContext } from './code-context.ts'
import type { ItemEnvironment } from './item-environment.ts'

/**
 * An instance of the class of the model, with relations as ids, or as items where included.
 * @param views what the actor sees of each model
 */
export function codeItem<M extends AnyModel, Included extends string = never>(
  views: ModelViews,
  model: ModelDescription,
  item: StoredItem,
  included: readonly OwnedRelation[] = [],
  related: RelatedItemsByModel = new Map(),
): CodeItem<M, Included> {
  const members: Record<string, unknown> = {
    ...readableValues(views.of(model), toCodeValues(model, readStoredValues(model, item))),
  }
  for (const field of included)
    members[field.name] = relatedInstances(field, members[field.name], related, views)
  if (item.hash !== null) members.hash = item.hash
  return new model.model(members) as CodeItem<M, Included>
}

/** Instances of items that were read, with related items where options include them. */
export async function codeItems<M extends AnyModel, Included extends string>(
  { services, reader, actor, endpoints }: ItemEnvironment,
  model: ModelDescription,
  batch: readonly StoredItem[],
  { include = [] }: ReadItemOptions<Included> = {},
): Promise<CodeItem<M, Included>[]> {
  const { views, guards, clock } = services
  const relations = includedRelations(model, include)
  const { rule } = endpoints.of(model, 'GetItem')
  const context = codeContext(actor, rule, { params: {} }, clock)
  const related =
    relations.length === 0
      ? undefined
      : await fetchRelatedItems(
          reader,
          { guards, context },
          relations,
          batch.map((item) => readStoredValues(model, item)),
        )
  return batch.map((item) => codeItem<M, Included>(views, model, item, relations, related))
}

/** @throws TypeError for names that are not relations which the model stores */
function includedRelations(
  { name: modelName, ownedRelations }: ModelDescription,
  names: readonly string[],
): readonly OwnedRelation[] {
  return names.map((name) => {
    const relation = ownedRelations.find((field) => field.name === name)
    if (relation) return relation
    throw new TypeError(
      `The model '${modelName}' stores no relation '${name}', so it cannot be included.`,
    )
  })
}
