import type { FieldDescription, RelationField, ToOneField } from './model-description.ts'

/** Do read-only items hold the ids of the relation? Then nothing can write it. */
export function isHeldByReadOnlyItems(relation: RelationField): boolean {
  return relation.kind === 'inverse' && relation.relatedModel.isReadOnly
}

/** Has every stored item the relation, once its store is open? */
export function isRequiredRelation({ isOptional, allowsMissing }: ToOneField): boolean {
  return !isOptional && !allowsMissing
}

/** Can no client set the relation, neither here nor from its other side? */
export function isReadOnlyRelation(relation: RelationField): boolean {
  if (relation.kind === 'toOne') return relation.isReadOnly
  return (
    isHeldByReadOnlyItems(relation) ||
    (relation.kind === 'inverse' && isReadOnlyRelation(relation.inverseOf))
  )
}

/**
 * Does the field lead to other items?
 *
 * ```ts
 * const relations = book.fields.filter(isRelation)
 * ```
 */
export function isRelation(field: FieldDescription): field is RelationField {
  return field.kind === 'toOne' || field.kind === 'toMany' || field.kind === 'inverse'
}
