import { describe, expect, it } from 'vitest'
import { printed } from './printed.ts'
import { scenarios } from './scenarios/all.ts'
import { oddSchemas } from './scenarios/odd-schemas.ts'
import { oneModel } from './scenarios/one-model.ts'

/** Kept as files, so that a change of any document is seen and judged; `npx vitest run test/openapi/snapshots.test.ts -u` writes them anew. */
describe('The document of the scenario', () => {
  it.each(scenarios)('$name equals its snapshot', async ({ name, router }) => {
    await expect(`${printed(router.toOpenApi())}\n`).toMatchFileSnapshot(`./snapshots/${name}.json`)
  })

  it.each([
    [oddSchemas, '3.0.4'],
    [oneModel, '3.2.0'],
  ] as const)(
    'a scenario is kept too where a version says things otherwise (%#)',
    async ({ name, router }, version) => {
      const file = `./snapshots/${name}-${version}.json`
      await expect(`${printed(router.toOpenApi({ version }))}\n`).toMatchFileSnapshot(file)
    },
  )
})
