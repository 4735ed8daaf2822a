import { describe, expect, it } from 'vitest'
import { printed } from './printed.ts'
import { scenarios } from './scenarios/all.ts'

/** Kept as files, so that a change of any document is seen and judged; `npx vitest run test/openapi/snapshots.test.ts -u` writes them anew. */
describe('The document of', () => {
  it.each(scenarios)('$name is the one that is kept', async ({ name, router }) => {
    await expect(`${printed(router.toOpenApi())}\n`).toMatchFileSnapshot(`./snapshots/${name}.json`)
  })
})
