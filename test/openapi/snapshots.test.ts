import { describe, expect, it } from 'vitest'
import { printed } from './printed.ts'
import { scenarios } from './scenarios/all.ts'
import { feed } from './scenarios/feed.ts'
import { oddSchemas } from './scenarios/odd-schemas.ts'
import { oneModel } from './scenarios/one-model.ts'

/**
 * Stored as files, so that every change of a document is reviewed; `npx vitest run
 * test/openapi/snapshots.test.ts -u` writes them again.
 */
describe('The document of the scenario', () => {
  it.each(scenarios)('$name equals its snapshot', async ({ name, router }) => {
    await expect(`${printed(router.toOpenApi())}\n`).toMatchFileSnapshot(`./snapshots/${name}.json`)
  })

  it.each([
    [oddSchemas, '3.0.4'],
    [oneModel, '3.2.0'],
    [feed, '3.0.4'],
    [feed, '3.2.0'],
  ] as const)(
    'other OpenAPI versions of a scenario equal their snapshots (%#)',
    async ({ name, router }, version) => {
      const file = `./snapshots/${name}-${version}.json`
      await expect(`${printed(router.toOpenApi({ version }))}\n`).toMatchFileSnapshot(file)
    },
  )
})
