import { availableParallelism } from 'node:os'
import { defineConfig, type UserWorkspaceConfig } from 'vitest/config'
import { LongestFirst } from './test/support/run/longest-first.ts'
import { testFiles } from './test/support/run/test-files.ts'
import { watchedModules } from './test/support/truth/watched-modules.ts'

const { TEST_STORE } = process.env
const { own, shared } = testFiles(TEST_STORE !== undefined)
const conditions = ['resourcery-source']

/** @param isolate whether each file has a process of its own */
function project(name: string, include: readonly string[], isolate: boolean): UserWorkspaceConfig {
  return {
    plugins: [watchedModules(!isolate)],
    resolve: { conditions },
    ssr: { resolve: { conditions } },
    test: {
      name,
      include: [...include],
      isolate,
      // Property tests open hundreds of stores, which takes longer where each makes tables on a server.
      testTimeout: TEST_STORE === 'postgres' ? 120_000 : 30_000,
      hookTimeout: 30_000,
      setupFiles: ['test/support/seed.ts', 'test/support/each-file.ts'],
    },
  }
}

export default defineConfig({
  test: {
    projects: [project('own process', own, true), project('shared', shared, false)],
    // Many tests wait for sockets and processes, so two run at a time also where there are two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    sequence: { sequencer: LongestFirst },
    globalSetup: ['test/support/postgres/global-setup.ts'],
  },
})
