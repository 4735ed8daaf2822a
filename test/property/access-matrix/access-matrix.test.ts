import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { stores } from '../../support/stores.ts'
import { leaveRoutersUnwatched } from '../../support/truth/watching.ts'
import { matrixRun } from './matrix-arbitrary.ts'
import { MatrixCounts, runMatrix } from './run-matrix.ts'

// Its comparison with the document for all callers costs more than the requests.
leaveRoutersUnwatched()

/** Runs of about 55 requests each. FUZZ_RUNS=10000 sends more than 100 000 to each store. */
const numRuns = Math.ceil(Number(process.env.FUZZ_RUNS ?? 300) / 5)
const timeout = 60_000 + numRuns * 10_000

describe.each(stores)('On $name', ({ make }) => {
  it(
    'what a caller gets is the same as if nothing were hidden',
    async () => {
      const counts = new MatrixCounts()
      await fc.assert(
        fc.asyncProperty(matrixRun, (run) => runMatrix(make, run, counts)),
        { numRuns },
      )
      if (process.env.FUZZ_RUNS) console.log(`${counts}`)
      expect(counts.requests).toBeGreaterThan(numRuns * 20)
      expect(counts.guesses).toBeGreaterThan(numRuns * 3)
    },
    timeout,
  )
})
