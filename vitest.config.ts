import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['resourcery-source'] },
  ssr: { resolve: { conditions: ['resourcery-source'] } },
  test: {
    include: process.env.TEST_STORE
      ? testsOfStores()
      : ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    // Property tests open hundreds of stores, which takes longer where each makes tables on a server.
    testTimeout: process.env.TEST_STORE === 'postgres' ? 120_000 : 30_000,
    hookTimeout: 30_000,
    // Many tests wait for sockets and processes, so two run at a time also where there are two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    globalSetup: ['test/support/postgres/global-setup.ts'],
    setupFiles: ['test/support/seed.ts', 'test/support/truth/watch.ts'],
  },
})

/** The tests that run on the store that TEST_STORE names. All others do the same on every store. */
function testsOfStores(): string[] {
  const importOfStores = /import \{[^}]*\b(stores|storeKinds)\b[^}]*\} from/
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join('test', name))
    .filter((file) => importOfStores.test(readFileSync(file, 'utf8')))
}
