import { type Schema, type ValidationResult, validate } from '../schema/standard-schema.ts'

/**
 * The default of a schema; undefined if it has none. A promise only where the schema is
 * asynchronous.
 */
export function defaultValueOf(schema: Schema): unknown {
  const validation = validate(schema, undefined)
  return validation instanceof Promise ? validation.then(validValue) : validValue(validation)
}

function validValue(validation: ValidationResult): unknown {
  return validation.kind === 'valid' ? validation.value : undefined
}
