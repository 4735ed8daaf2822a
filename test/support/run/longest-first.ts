import { readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Seconds of each test file that takes long. `npm run test:durations` writes them. */
const durations: Readonly<Record<string, number>> = JSON.parse(
  readFileSync(new URL('durations.json', import.meta.url), 'utf8'),
)

/**
 * Begins with the test files that take longest, so that none of them runs alone at the end. A fresh
 * clone has no results of earlier runs, so the durations are in a file.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // Vitest keeps a process for the next file only if that shares it too, so these come together.
    const rank = (file: TestSpecification): number => (file.project.config.isolate ? 0 : 1)
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      durations[relative(this.ctx.config.root, moduleId)] ?? 0
    const others = await super.sort(files)
    return others.sort((a, b) => rank(a) - rank(b) || secondsOf(b) - secondsOf(a))
  }
}
