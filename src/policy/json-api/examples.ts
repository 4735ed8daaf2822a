import type { ModelDescription, RelationField } from '../../model/model-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import type { ModelRule } from '../../rule/rule.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { exampleIds, exampleItem } from '../example-item.ts'

// Example bodies that clients can send unchanged.

/** The resource to create, replace or update. An existing resource has its id. */
function exampleResource(view: ModelView, purpose: Purpose): object | undefined {
  const item = exampleItem(view, purpose)
  if (!item || (purpose !== 'create' && item.id === undefined)) return undefined
  const relationships = item.relations.map(([relation, ids]) => [
    relation.wireName,
    linkage(relation, ids),
  ])
  return {
    type: view.model.plural,
    ...(item.id !== undefined && { id: item.id }),
    ...(Object.keys(item.values).length > 0 && { attributes: item.values }),
    ...(relationships.length > 0 && { relationships: Object.fromEntries(relationships) }),
  }
}

export function exampleDocument(view: ModelView, purpose: Purpose): object | undefined {
  const data = exampleResource(view, purpose)
  return data && { data }
}

/**
 * The linkage to set, add or remove. Removing from an inverse relation is refused if the other side
 * is required, so that example is empty.
 */
export function exampleLinkage(
  relation: RelationField,
  method: ModelRule['method'],
): object | undefined {
  const isRequiredOnOtherSide =
    relation.kind === 'inverse' &&
    relation.inverseOf.kind === 'toOne' &&
    !relation.inverseOf.isOptional
  const ids = method === 'DELETE' && isRequiredOnOtherSide ? [] : exampleIds(relation)
  return relation.kind === 'toOne' && ids.length === 0 ? undefined : linkage(relation, ids)
}

/** A batch of a create without a client id, and an update. */
export function exampleOperations(rules: readonly ModelRule[]): object | undefined {
  const viewsFor = (operation: ModelRule['operation'], isUsable: (view: ModelView) => boolean) =>
    rules
      .filter((rule) => rule.operation === operation && isUsable(rule.view))
      .map((rule) => rule.view)
      // Sorted, so that the document does not depend on the order of registration.
      .toSorted((one, other) => (one.model.name < other.model.name ? -1 : 1))
  const creates = viewsFor('CreateItem', ({ model }) => model.ids !== 'client').map((view) =>
    exampleResource(view, 'create'),
  )
  const updates = viewsFor('UpdateItem', ({ requiresIfMatch }) => !requiresIfMatch).map((view) =>
    exampleResource(view, 'update'),
  )
  const operations = [operation('add', creates), operation('update', updates)].flat()
  return operations.length === 0 ? undefined : { 'atomic:operations': operations }
}

function operation(op: string, resources: readonly (object | undefined)[]): readonly object[] {
  const data = resources.find((resource) => resource !== undefined)
  return data ? [{ op, data }] : []
}

function linkage({ kind, relatedModel }: RelationField, ids: readonly string[]): object {
  const identifiers = ids.map((id) => identifier(relatedModel, id))
  return { data: kind === 'toOne' ? identifiers[0] : identifiers }
}

function identifier({ plural }: ModelDescription, id: string): object {
  return { type: plural, id }
}
