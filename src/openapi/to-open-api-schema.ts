import { fieldSchema, type SchemaDirection } from '../model/field-schema.ts'
import type { FieldDescription, ModelDescription } from '../model/model-description.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { createComponentRegistry } from './component-registry.ts'
import type { OpenApiVersion } from './document.ts'
import { schemaNames } from './schema-names.ts'

/**
 * A field of a model as an OpenAPI schema, with nested structs and arrays, wire names, descriptions
 * and examples. Of relations the schema is that of the identifiers they hold. A field that is
 * defined by itself refers to `#/components/schemas`, where documents of the model have it.
 * @param direction what clients are sent unless given; `input` for what they send
 */
export function toOpenApiSchema(
  model: ModelDescription,
  field: FieldDescription,
  {
    direction = 'output',
    version = '3.1.2',
  }: { readonly direction?: SchemaDirection; readonly version?: OpenApiVersion } = {},
): JsonSchema {
  const schema = fieldSchema(model, field, direction)
  return createComponentRegistry(schemaNames([schema], 'chosen'), 'chosen', version).schema(schema)
}
