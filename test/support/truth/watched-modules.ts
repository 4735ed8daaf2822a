import { resolve } from 'node:path'
import type { Plugin } from 'vitest/config'

type Replacements = readonly (readonly [original: string, replacement: string])[]

/** Modules of the source, and what tests and the source itself get in their place. */
const watched: Replacements = [
  ['src/api/create-router.ts', 'test/support/truth/watched-router.ts'],
  ['src/api/check-stored-values.ts', 'test/support/truth/late-check.ts'],
  ['src/policy/json-api/json-api.ts', 'test/support/truth/json-api-with-origin.ts'],
  ['src/policy/rest/rest.ts', 'test/support/truth/rest-with-origin.ts'],
]

/** What takes long in a process that many test files share. */
const ofSharedProcess: Replacements = [
  ['src/store/sqlite/release-connections.ts', 'test/support/run/released-together.ts'],
]

/**
 * Gives every importer the watched modules; they alone import the originals. Without mocks, which
 * hold for one test file, so that test files can share a process.
 *
 * @param isShared whether test files share a process
 */
export function watchedModules(isShared: boolean): Plugin {
  const all = isShared ? [...watched, ...ofSharedProcess] : watched
  const replacements = new Map(
    all.map(([original, replacement]) => [resolve(original), resolve(replacement)]),
  )
  return {
    name: 'watched-modules',
    enforce: 'pre',
    resolveId: {
      filter: {
        id: /(?:\/(?:create-router|check-stored-values|json-api|release-connections|rest)\.ts|^resourcery\/(?:json-api|rest))$/,
      },
      async handler(source, importer) {
        const resolved = await this.resolve(source, importer, { skipSelf: true })
        const replacement = resolved && replacements.get(resolved.id)
        return replacement && replacement !== importer ? replacement : resolved
      },
    },
  }
}
