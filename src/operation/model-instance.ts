import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import { type ModelViews, readableValues } from '../model/model-view.ts'
import { toCodeValues, toStoredValue } from '../stored-item/code-values.ts'
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
  const members: Record<string, unknown> = { ...toCodeValues(model, values) }
  for (const field of model.ownedRelations)
    members[field.name] = relatedInstances(field, values[field.name], related)
  if (hash) members.hash = hash
  return new model.model(members)
}

/**
 * The stored values of an instance: relations as ids, and only the members of the model.
 * @param before the values that the instance was made from
 */
export function fromModelInstance(
  model: ModelDescription,
  instance: object,
  before: StoredValues,
): StoredValues {
  const members = instance as Record<string, unknown>
  const values: { id: string; [name: string]: unknown } = { id: String(members.id) }
  for (const field of model.valueFields) {
    const value = toStoredValue(field, members[field.name], before[field.name])
    if (value !== undefined) values[field.name] = value
  }
  for (const field of model.ownedRelations)
    values[field.name] = heldIdentifiersOf(field, members[field.name])
  for (const { name } of model.resourceFields) values[name] = members[name] ?? null
  return values
}

/** Related items stand for their ids. */
export function identifiersOf(field: OwnedRelation, related: unknown): unknown {
  if (field.kind === 'toOne') return identifierOf(related)
  return Array.isArray(related) ? related.map(identifierOf) : []
}

/** As items hold them: each once. What {@link holdsIdentifiers} refuses is left out. */
export function heldIdentifiersOf(field: OwnedRelation, related: unknown): unknown {
  const ids = identifiersOf(field, related)
  return Array.isArray(ids) ? [...new Set(ids)].filter((id) => id !== null) : ids
}

/** Is it an id, a related item or nothing; or an array of them? */
export function holdsIdentifiers({ kind }: OwnedRelation, related: unknown): boolean {
  if (related === null || related === undefined) return true
  return kind === 'toOne'
    ? identifierOf(related) !== null
    : Array.isArray(related) && related.every((item) => identifierOf(item) !== null)
}

function identifierOf(related: unknown): string | null {
  if (typeof related === 'string') return related
  return typeof related === 'object' && related !== null && 'id' in related
    ? String(related.id)
    : null
}

/**
 * The related items as instances of their class, with relations as ids. They are frozen: a change
 * would not be stored.
 * @param views what may be seen of each model. Default: everything.
 */
export function relatedInstances(
  field: OwnedRelation,
  ids: unknown,
  related: RelatedItemsByModel,
  views?: ModelViews,
): unknown {
  const { relatedModel } = field
  const relatedItems = related.get(relatedModel)
  const toInstance = (id: string): object => {
    const item = relatedItems?.get(id)
    if (!item) return freezeDeeply(unseenInstance(relatedModel, id))
    const values = toCodeValues(relatedModel, readStoredValues(relatedModel, item))
    const shown = views ? readableValues(views.of(relatedModel), values) : values
    return freezeDeeply(new relatedModel.model({ ...shown }))
  }
  if (field.kind === 'toMany') return (ids as readonly string[]).map(toInstance)
  return typeof ids === 'string' ? toInstance(ids) : null
}

/** An item that the caller may not see has only an id, which a constructor may not expect. */
function unseenInstance({ model }: ModelDescription, id: string): object {
  return Object.create(model.prototype, { id: { value: id, enumerable: true } })
}

function freezeDeeply<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
  Object.values(value).forEach(freezeDeeply)
  return Object.freeze(value)
}
