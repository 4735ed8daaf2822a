import type { ModelDescription, RelationField } from '../../model/model-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import type { ModelRule } from '../../rule/rule.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { exampleIds, exampleItem } from '../example-item.ts'

// Bodies that can be sent as they are.

/** The resource that is created, replaced or updated. Of one that is there the id is told. */
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
 * What a relationship is set to, gains or loses. Nothing can be taken out of a relation whose other
 * side is required.
 */
export function exampleLinkage(
  relation: RelationField,
  method: ModelRule['method'],
): object | undefined {
  const isKept =
    relation.kind === 'inverse' &&
    relation.inverseOf.kind === 'toOne' &&
    !relation.inverseOf.isOptional
  const ids = method === 'DELETE' && isKept ? [] : exampleIds(relation)
  return relation.kind === 'toOne' && ids.length === 0 ? undefined : linkage(relation, ids)
}

/** Of a batch: what can be added without a choice of its id, and a change of what is there. */
export function exampleOperations(rules: readonly ModelRule[]): object | undefined {
  const of = (operation: ModelRule['operation'], view: (one: ModelView) => boolean) =>
    rules
      .filter((rule) => rule.operation === operation && view(rule.view))
      .map((rule) => rule.view)
      // The document is the same whatever the order of registration.
      .toSorted((one, other) => (one.model.name < other.model.name ? -1 : 1))
  const added = of('CreateItem', ({ model }) => model.ids !== 'client').map((view) =>
    exampleResource(view, 'create'),
  )
  const updated = of('UpdateItem', ({ requiresIfMatch }) => !requiresIfMatch).map((view) =>
    exampleResource(view, 'update'),
  )
  const operations = [operation('add', added), operation('update', updated)].flat()
  return operations.length === 0 ? undefined : { 'atomic:operations': operations }
}

function operation(op: string, resources: readonly (object | undefined)[]): readonly object[] {
  const data = resources.find((one) => one !== undefined)
  return data ? [{ op, data }] : []
}

function linkage({ kind, relatedModel }: RelationField, ids: readonly string[]): object {
  const identifiers = ids.map((id) => identifier(relatedModel, id))
  return { data: kind === 'toOne' ? identifiers[0] : identifiers }
}

function identifier({ plural }: ModelDescription, id: string): object {
  return { type: plural, id }
}
