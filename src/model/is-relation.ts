import type { FieldDescription, RelationField } from './description.ts'

export function isRelation(field: FieldDescription): field is RelationField {
  return field.kind === 'toOne' || field.kind === 'toMany' || field.kind === 'inverse'
}
