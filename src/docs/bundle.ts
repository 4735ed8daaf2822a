import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { once } from './once.ts'
import { type Page, pageAnswer } from './page.ts'

export interface Bundle {
  readonly bytes: Uint8Array
  readonly digest: string
}

/** Beside this file where it is built; from its sources, the built copy. */
const places = ['./scalar.js', '../../dist/docs/scalar.js'].map((place) => new URL(place, import.meta.url))

/**
 * Scalar's API reference, as one script. It is the same for all routers of a process, and read when it is first asked for.
 * @throws Error saying what to do where the build has not put it there
 */
export const bundle: () => Promise<Bundle> = once(async () => {
  const place = places.find((one) => existsSync(fileURLToPath(one)))
  if (!place)
    throw new Error('The script of the documentation page is missing: `npm run build` puts it beside the built code.')
  const bytes = await readFile(place)
  return { bytes, digest: createHash('sha256').update(bytes).digest('base64url') }
})

export const scriptPath = '/docs/reference.js'

/** The script, which its address names by its digest (`?v=…`), so that it never changes there. */
export const scriptPage: Page = {
  path: scriptPath,
  answer: async (request) => {
    const { bytes, digest } = await bundle()
    const headers = {
      'content-type': 'text/javascript; charset=utf-8',
      'cache-control': request.query === `v=${digest}` ? 'public, max-age=31536000, immutable' : 'no-cache',
    }
    return pageAnswer(request, headers, `"${digest}"`, { kind: 'bytes', bytes })
  },
}
