import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredValues } from '../stored-item/stored-item.ts'
import type { RelatedItemsByModel } from './related-items.ts'

/** An instance of the model's class, with relations as objects. */
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

/** The stored values of an instance: relations as ids, and only the members of the model. */
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
  const relatedItems = related.get(field.relatedModel)
  const toObject = (id: string) => {
    const item = relatedItems?.get(id)
    // An item that the caller may not see has only an id.
    return item ? { ...readStoredValues(field.relatedModel, item) } : { id }
  }
  if (field.kind === 'toMany') return (ids as readonly string[]).map(toObject)
  return typeof ids === 'string' ? toObject(ids) : null
}
