import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { sourceFiles } from './imports.ts'

const root = fileURLToPath(new URL('../../src', import.meta.url))
const features = readdirSync(`${root}/feature`, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name)

/** The list of features, and the files of public names: options of routers, rules, errors. */
const lists = [
  'feature/features.ts',
  'api/router-options.ts',
  'api/security-options.ts',
  'api/former-options.ts',
  'api/router.ts',
  'error/catalog.ts',
  'rule/rule.ts',
  'policy/public.ts',
  'types.ts',
  'index.ts',
]

/** What is looked for, where it is not the name of the folder. */
const namesIn: Readonly<Record<string, readonly string[]>> = {
  'browser-pages': ['docs-page', 'start-page'],
}

/** Folders and files that use the name for what is theirs, with the reason. */
const others: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'browser-pages': { 'adapter/': 'hosts lead browsers from / to the start page' },
  'change-log': {
    'store/': 'stores keep the log by a contract of their own',
    'contracts/': 'they hold all stores to it',
    'feature/consumers/': 'they read it',
    'model/': 'models say whether their changes are logged',
    'operation/changes/': 'clients follow it',
  },
  consumers: { 'api/': 'routers start and close them, and say how far they are' },
  idempotency: {
    'feature/consumers/change.ts': 'services that a consumer calls may take such keys',
    'store/': 'stores keep results of requests by a contract of their own',
    'pipeline/encode-error.ts': 'a message names the header to clients',
  },
  replicas: { 'store/': 'stores read from them' },
  tenant: {
    'api/prepared-router.ts': 'the docstring of a public method says what access() leaves out',
    'feature/cors/cors-options.ts': 'an example of a header',
    'feature/idempotency/idempotency-options.ts': 'an example of a scope',
  },
}

/** The names of a feature, with any or no separator between their words. */
function patternOf(feature: string): RegExp {
  const names = namesIn[feature] ?? [feature]
  return new RegExp(names.join('|').replaceAll('-', '[- ]?'), 'i')
}

describe('A feature', () => {
  it('has a folder of its own', () => {
    expect(features.length).toBeGreaterThan(0)
  })

  it.each(features)(
    'is named in its folder, in the list of features and in public names only: %s',
    (name) => {
      const allowed = [`feature/${name}/`, ...Object.keys(others[name] ?? {})]
      const users = sourceFiles(root).filter(
        (file) =>
          !lists.includes(file) &&
          // Tools know the service by its document.
          !file.startsWith('tools/') &&
          !allowed.some((path) => file === path || (path.endsWith('/') && file.startsWith(path))) &&
          patternOf(name).test(readFileSync(`${root}/${file}`, 'utf8')),
      )
      expect(users).toEqual([])
    },
  )

  it('has exceptions that are still needed', () => {
    for (const [name, paths] of Object.entries(others))
      for (const path of Object.keys(paths))
        expect(
          sourceFiles(root).some(
            (file) =>
              file.startsWith(path) &&
              patternOf(name).test(readFileSync(`${root}/${file}`, 'utf8')),
          ),
          `${path} still names ${name}`,
        ).toBe(true)
  })
})
