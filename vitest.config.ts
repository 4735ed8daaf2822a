import { defineConfig } from 'vitest/config'

export default defineConfig({
  resolve: { conditions: ['resourcery-source'] },
  ssr: { resolve: { conditions: ['resourcery-source'] } },
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts', 'examples/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 30_000,
    globalSetup: ['test/support/postgres/global-setup.ts'],
    setupFiles: ['test/support/seed.ts', 'test/support/truth/watch.ts'],
  },
})
