import type { OpenApiDocument } from 'resourcery/openapi'
import { afterEachFile } from '../after-tests.ts'
import { type Truth, truthOf } from './truth.ts'

interface CachedTruth {
  readonly document: OpenApiDocument
  readonly truth: Truth
  isConfirmed: boolean
}

const cached = new Map<string, CachedTruth>()
afterEachFile(() => cached.clear())

/**
 * The truth of a document, which is made once for all routers of a test file with this key: most
 * tests make a router like that of another. The second router makes it too, and compares.
 *
 * @throws Error where two routers have one key, and different documents
 */
export function cachedTruth(key: string, basePath: string, make: () => OpenApiDocument): Truth {
  const existing = cached.get(key)
  if (existing?.isConfirmed) return existing.truth
  const document = make()
  if (existing) {
    if (JSON.stringify(document) !== JSON.stringify(existing.document))
      throw new Error(`Different documents have the same key:\n${key}`)
    existing.isConfirmed = true
    return existing.truth
  }
  const truth = truthOf(document, basePath)
  cached.set(key, { document, truth, isConfirmed: false })
  return truth
}
