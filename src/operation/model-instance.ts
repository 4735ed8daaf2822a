import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredValues } from '../stored-item/stored-item.ts'
import type { RelatedItemsByModel } from './related-items.ts'

/** The item as the model's code sees it: an instance of its class, relations as objects. */
export function toModelInstance(
  model: ModelDescription,
  values: StoredValues,
  related: RelatedItemsByModel,
  hash?: string | null,
): object {
  const members: Record<string, unknown> = { ...values }
  for (const field of model.ownedRelations)
    members[field.name] = relatedObjects(field, values[field.name], related)
  if (hash) members.hash = hash
  return new model.model(members)
}

/**
 * The stored form of what the model's code made of it: relations as identifiers, members that the
 * model has.
 */
export function fromModelInstance(model: ModelDescription, instance: object): StoredValues {
  const members = instance as Record<string, unknown>
  const values: { id: string; [name: string]: unknown } = { id: String(members.id) }
  for (const { name } of model.valueFields)
    if (members[name] !== undefined) values[name] = members[name]
  for (const field of model.ownedRelations)
    values[field.name] = identifiersOf(field, members[field.name])
  for (const { name } of model.resourceFields) values[name] = members[name] ?? null
  return values
}

export function identifiersOf(field: OwnedRelation, related: unknown): unknown {
  if (field.kind === 'toOne') return identifierOf(related)
  return Array.isArray(related) ? related.map(identifierOf) : []
}

function identifierOf(related: unknown): string | null {
  if (typeof related === 'string') return related
  return typeof related === 'object' && related !== null && 'id' in related
    ? String(related.id)
    : null
}

function relatedObjects(field: OwnedRelation, ids: unknown, related: RelatedItemsByModel): unknown {
  const found = related.get(field.relatedModel)
  const object = (id: string) => {
    const item = found?.get(id)
    // An item that may not be seen is known by its identifier only.
    return item ? { ...readStoredValues(field.relatedModel, item) } : { id }
  }
  if (field.kind === 'toMany') return (ids as readonly string[]).map(object)
  return typeof ids === 'string' ? object(ids) : null
}
