import type { ValueField } from '../../model/model-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import { type Schema, type SchemaIssue, validate } from '../../schema/standard-schema.ts'
import { isServerOnly } from './member-access.ts'

/**
 * The issues of a stored value that a client sent back: the model may have changed since it was
 * written. Only for members that clients can fix, whose schema accepts what it stores, and is
 * synchronous.
 */
export function storedIssues(
  view: ModelView,
  field: ValueField,
  storedValue: unknown,
): readonly SchemaIssue[] {
  if (
    !field.hasSameInputAndOutput ||
    field.nestedResources ||
    isServerOnly(view, field) ||
    view.hiddenNames.has(field.wireName)
  )
    return []
  if (asynchronousSchemas.has(field.schema)) return []
  const validation = validate(field.schema, storedValue)
  if (validation instanceof Promise) {
    asynchronousSchemas.add(field.schema)
    validation.catch(() => undefined)
    return []
  }
  return validation.kind === 'invalid' ? validation.issues : []
}

const asynchronousSchemas = new WeakSet<Schema>()
