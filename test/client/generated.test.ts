import { expect, test } from 'vitest'
import { writeClient } from '../../src/tools/client/write-client.ts'
import { bookstores, conferences } from './services.ts'

/**
 * The clients that tests use are files, so that each change of them is seen; `npx vitest run
 * test/client/generated.test.ts -u` writes them again.
 */
test.each([
  ['bookstore', () => bookstores()[0]],
  ['bookstore-json-api', () => bookstores()[1]],
  ['conference', () => conferences()[0]!],
  ['conference-json-api', () => conferences()[1]!],
] as const)('the client of %s is what the command writes', async (name, routerOf) => {
  await expect(writeClient(routerOf().toOpenApi())).toMatchFileSnapshot(`./generated/${name}.ts`)
})
