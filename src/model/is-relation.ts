import type { FieldDescription, RelationField } from './model-description.ts'

export function isRelation(field: FieldDescription): field is RelationField {
  return field.kind === 'toOne' || field.kind === 'toMany' || field.kind === 'inverse'
}
