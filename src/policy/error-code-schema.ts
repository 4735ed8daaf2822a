import { errorCatalog } from '../error/catalog.ts'
import { component, type JsonSchema } from '../schema/json-schema.ts'

/** The codes of the catalog, and codes that the service defines. */
export const errorCodeSchema: JsonSchema = component('ErrorCode', 'service', () => ({
  description: 'Stable error code. The service may define codes of its own',
  anyOf: [{ type: 'string', enum: Object.keys(errorCatalog) }, { type: 'string' }],
}))
