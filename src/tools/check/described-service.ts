// What contract suites check responses with.
import { compileSchemas } from './compiled-schemas.ts'
import { type DescribedOperation, describedOperations, schemasIn } from './described-operation.ts'
import type { ServiceClient } from './service-client.ts'
import { createVerifiedSend, type VerifiedSend } from './verified-send.ts'

export { type DescribedOperation, describedOperations } from './described-operation.ts'
export { isJson } from './plan/planned-body.ts'
export type { ServiceClient } from './service-client.ts'

/** A service whose responses are compared with its OpenAPI document. */
export interface DescribedService {
  readonly operations: readonly DescribedOperation[]
  /** Throws ViolationError for a response that the document does not describe. */
  readonly send: VerifiedSend
}

/** @throws Error if the document is invalid, or a schema in it cannot be compiled */
export function describedService(document: object, client: ServiceClient): DescribedService {
  const operations = describedOperations(document)
  const schemas = compileSchemas(document)
  for (const schema of operations.flatMap(schemasIn)) schemas.compile(schema)
  return { operations, send: createVerifiedSend(client, schemas) }
}
