import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import {
  type CompressedContent,
  compressedResponse,
  createCompressedContent,
} from './compressed-content.ts'
import type { DocsPage } from './docs-page.ts'
import { lazyPromise } from './lazy-promise.ts'

/** Built code reads the script beside this file; sources read the built copy. */
const scriptLocations = ['./scalar.js', '../../dist/docs/scalar.js'].map(
  (path) => new URL(path, import.meta.url),
)

/**
 * Scalar's API reference as one script. All routers of a process share it; the first request reads
 * it.
 * @throws Error if the build did not copy it
 */
export const loadReferenceScript: () => Promise<CompressedContent> = lazyPromise(async () => {
  const location = scriptLocations.find((url) => existsSync(fileURLToPath(url)))
  if (!location)
    throw new Error('The script of the documentation page is missing; run `npm run build`.')
  return createCompressedContent(await readFile(location))
})

export const scriptPath = '/docs/reference.js'

/** The script. Its URL has a digest (`?v=…`), so that clients may cache it forever. */
export const scriptPage: DocsPage = {
  path: scriptPath,
  respond: async (request) => {
    const content = await loadReferenceScript()
    const headers = {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control':
        request.query === `v=${content.digest}`
          ? 'public, max-age=31536000, immutable'
          : 'no-cache',
    }
    return compressedResponse(request, headers, content)
  },
}
