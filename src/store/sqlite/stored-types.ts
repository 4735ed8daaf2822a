import type { ModelDescription, OwnedRelation, ValueField } from '../../model/model-description.ts'
import { storedNames } from '../../stored-item/stored-names.ts'
import { jsonPathSql } from './dialect.ts'

/**
 * The JSON types of a member in a stored item, whose model may have been another: shown or hidden,
 * and under each name that it had. All are NULL if the item has no such member.
 */
export function storedTypes(
  model: ModelDescription,
  field: ValueField | OwnedRelation,
): readonly string[] {
  return storedNames(model, field).flatMap((name) =>
    ['text', 'hidden'].map((column) => `json_type(${column}, ${jsonPathSql([name])})`),
  )
}
