import { readFile } from 'node:fs/promises'
import { findPackageFile, warnAboutBundle } from '../../bundle/package-files.ts'
import { lazyPromise } from '../../cache/lazy-promise.ts'
import { ApiError } from '../../error/api-error.ts'
import { unknownPath } from '../../http/route-problems.ts'
import type { ServedPage } from '../../pipeline/serve-page.ts'
import {
  type CompressedContent,
  compressedResponse,
  readCompressedContent,
} from './compressed-content.ts'

/** Compressed by Brotli: built code has it beside this file, and sources read the built copy. */
const scriptPaths = ['./scalar.js.br', '../../../dist/feature/browser-pages/scalar.js.br']

/**
 * Scalar's API reference as one script. All routers of a process share it; the first request reads
 * it. Undefined where a bundler has left it out.
 */
export const loadReferenceScript: () => Promise<CompressedContent | undefined> = lazyPromise(
  async () => {
    for (const path of scriptPaths) {
      const location = findPackageFile(path, import.meta.url)
      if (location) return readCompressedContent(await readFile(location))
    }
    warnAboutBundle("The file 'scalar.js.br' of resourcery is missing, so '/docs' has no content.")
    return undefined
  },
)

export const scriptPath = '/docs/reference.js'

/** The script. Its URL has a digest (`?v=…`), so that clients may cache it forever. */
export const scriptPage: ServedPage = {
  path: scriptPath,
  audience: 'everyone',
  respond: async (request) => {
    const content = await loadReferenceScript()
    if (!content) throw new ApiError([unknownPath(request.path)])
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
