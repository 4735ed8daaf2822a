import { type Schema, validate } from '../schema/standard-schema.ts'

/** The default of a schema; undefined if it has none. */
export async function defaultValueOf(schema: Schema): Promise<unknown> {
  const validation = await validate(schema, undefined)
  return validation.kind === 'valid' ? validation.value : undefined
}
