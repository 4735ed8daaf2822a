import { resolve } from 'node:path'
import type { Plugin } from 'vitest/config'

/** Modules of the source, and what tests and the source itself get in their place. */
const replacements = new Map(
  [
    ['src/api/create-router.ts', 'test/support/truth/watched-router.ts'],
    ['src/api/check-stored-values.ts', 'test/support/truth/late-check.ts'],
    ['src/policy/json-api/json-api.ts', 'test/support/truth/json-api-with-origin.ts'],
    ['src/policy/rest/rest.ts', 'test/support/truth/rest-with-origin.ts'],
  ].map(([original, replacement]) => [resolve(original!), resolve(replacement!)]),
)

/**
 * Gives every importer the watched modules; they alone import the originals. Without mocks, which
 * hold for one test file, so that test files can share a process.
 */
export function watchedModules(): Plugin {
  return {
    name: 'watched-modules',
    enforce: 'pre',
    resolveId: {
      filter: {
        id: /(?:\/(?:create-router|check-stored-values|json-api|rest)\.ts|^resourcery\/(?:json-api|rest))$/,
      },
      async handler(source, importer) {
        const resolved = await this.resolve(source, importer, { skipSelf: true })
        const replacement = resolved && replacements.get(resolved.id)
        return replacement && replacement !== importer ? replacement : resolved
      },
    },
  }
}
