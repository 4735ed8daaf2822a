import { fieldSchema, type SchemaDirection } from '../model/field-schema.ts'
import type { FieldDescription, ModelDescription } from '../model/model-description.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { createComponentRegistry } from './component-registry.ts'
import type { OpenApiVersion } from './document.ts'
import { schemaNames } from './schema-names.ts'

/**
 * A field of a model as an OpenAPI schema, with nested structs and arrays, wire names, descriptions
 * and examples. The schema of a relation is that of its ids. A recursive field refers to
 * `#/components/schemas`, where documents of the model define it.
 *
 * ```ts
 * for (const field of book.fields)
 *   console.log(field.wireName, toOpenApiSchema(book, field, { direction: 'input' }))
 * ```
 *
 * @param direction `output` for responses (the default), `input` for requests
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
  const names = schemaNames([schema], 'selectable')
  return createComponentRegistry(names, 'selectable', version).schema(schema)
}
