import { catalog } from '../error/catalog.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'

/** The codes of the catalog, and whatever code the service's own code gives its errors. */
export const errorCodeSchema: JsonSchema = component('ErrorCode', 'service', () => ({
  description: 'Names the kind of fault; it never changes. The service may have codes of its own',
  anyOf: [{ type: 'string', enum: Object.keys(catalog) }, { type: 'string' }],
}))
