import { writeFileSync } from 'node:fs'
import { createClient } from '@hey-api/openapi-ts'
import openapiTypescript, { astToString } from 'openapi-typescript'

/**
 * The types of an API as openapi-typescript makes them of its document, for openapi-fetch, as one
 * file. Of the settings two say more than the defaults do: members with a default may be left out
 * of requests, and those that are read-only are no part of them.
 */
export async function generateTypes(document: object, file: string): Promise<void> {
  const nodes = await openapiTypescript(JSON.stringify(document), {
    defaultNonNullable: false,
    readWriteMarkers: true,
  })
  writeFileSync(file, astToString(nodes))
}

/**
 * The client that @hey-api/openapi-ts makes of a document with its default settings, as a folder.
 */
export async function generateClient(document: object, folder: string): Promise<void> {
  await createClient({
    input: document as Readonly<Record<string, unknown>>,
    output: { path: folder, module: { extension: '.ts' } },
    logs: { level: 'silent', file: false },
  })
}
