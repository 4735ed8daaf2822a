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
  'api/router-work.ts',
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
  deferrals: {
    'api/': 'extensions of routers get what carries out requests later',
    'jobs/': 'they carry them out',
  },
  history: {
    'access/': 'who reads and restores versions is a rule of its own',
    'api/sweep-blobs.ts': 'files of versions stay',
    'document/encode-kept.ts': 'versions are written with items, as policies write them',
    'model/': 'models say whether versions of their items are kept',
    'operation/': 'clients read and restore versions',
    'pipeline/implementations.ts': 'it lists all operations',
    'policy/': 'policies have rules for these operations',
    'store/': 'versions are items of an internal model; files of versions stay',
  },
  idempotency: {
    'client/': 'clients send the header, and know its errors',
    'feature/consumers/change.ts': 'services that a consumer calls may take such keys',
    'store/': 'stores keep results of requests by a contract of their own',
    'pipeline/encode-error.ts': 'a message names the header to clients',
  },
  replicas: { 'store/': 'stores read from them' },
  'scheduled-jobs': { 'api/': 'routers start and close them, and say when they run' },
  trash: {
    'access/': 'who reads the trash, restores and purges is a rule of its own',
    'api/': 'files in the trash stay; responses about it are private',
    'contracts/policy/harness.ts': 'it lists all operations',
    'document/': 'deleted items are written as policies write items',
    'feature/history/': 'versions of deleted items stay with them in the trash',
    'feature/idempotency/idempotency-settings.ts': 'it lists the hooks that need no key',
    'feature/tenant/within-tenant.ts': 'rules for the trash hold within a tenant too',
    'middleware/access-decisions.ts': 'operations on the trash need these rules',
    'model/': 'models say whether deleted items are kept',
    'openapi/operation-wording.ts': 'it lists all operations',
    'operation/': 'clients read the trash, restore and purge',
    'pipeline/': 'it lists all operations and what they refuse with',
    'policy/': 'policies have rules for these operations',
    'rule/': 'it lists all operations',
    'store/': 'deleted items are items of an internal model; files in the trash stay',
  },
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
