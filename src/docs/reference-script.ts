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

/** Beside this file where it is built; from its sources, the built copy. */
const scriptLocations = ['./scalar.js', '../../dist/docs/scalar.js'].map(
  (place) => new URL(place, import.meta.url),
)

/**
 * Scalar's API reference, as one script. It is the same for all routers of a process, and read when
 * it is first asked for.
 * @throws Error saying what to do where the build has not put it there
 */
export const loadReferenceScript: () => Promise<CompressedContent> = lazyPromise(async () => {
  const place = scriptLocations.find((one) => existsSync(fileURLToPath(one)))
  if (!place)
    throw new Error(
      'The script of the documentation page is missing: `npm run build` puts it beside the built code.',
    )
  return createCompressedContent(await readFile(place))
})

export const scriptPath = '/docs/reference.js'

/** The script, which its address names by its digest (`?v=…`), so that it never changes there. */
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
