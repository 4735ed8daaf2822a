import { writeFileSync } from 'node:fs'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypescript, { astToString } from 'openapi-typescript'

/**
 * Generates the openapi-typescript types of a document, for openapi-fetch, as one file. Two
 * settings differ from the defaults: members with a default are optional in requests, and read-only
 * members are left out.
 */
export async function generateTypes(document: object, file: string): Promise<void> {
  const nodes = await openapiTypescript(JSON.stringify(document), {
    defaultNonNullable: false,
    readWriteMarkers: true,
  })
  writeFileSync(file, astToString(nodes))
}

/**
 * Generates the @hey-api/openapi-ts client of a document with its default settings, as a folder.
 */
export async function generateClient(document: object, folder: string): Promise<void> {
  await createClient({
    input: document as Readonly<Record<string, unknown>>,
    output: { path: folder, module: { extension: '.ts' } },
    logs: { level: 'silent', file: false },
  })
}
