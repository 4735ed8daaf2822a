// What contract suites check responses with.
import { type CompiledSchemas, compileSchemas } from './compiled-schemas.ts'
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
  const text = JSON.stringify(document)
  const { operations, schemas } = recent.get(text) ?? described(document)
  if (!recent.has(text) && recent.size === maxRecent) recent.clear()
  recent.set(text, { operations, schemas })
  return { operations, send: createVerifiedSend(client, schemas) }
}

interface Described {
  readonly operations: readonly DescribedOperation[]
  readonly schemas: CompiledSchemas
}

/** A contract makes a service for each test, and few of their documents differ. */
const recent = new Map<string, Described>()
const maxRecent = 4

function described(document: object): Described {
  const operations = describedOperations(document)
  const schemas = compileSchemas(document)
  for (const schema of operations.flatMap(schemasIn)) schemas.compile(schema)
  return { operations, schemas }
}
