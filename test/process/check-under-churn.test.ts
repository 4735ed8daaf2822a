import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { check } from 'resourcery/check'
import { afterAll, describe, expect, it } from 'vitest'
import { startBookstore } from '../support/bookstore-process.ts'
import { startChurn } from '../support/churn.ts'

/** CHECK_RUNS=100 and CHURN_SEEDS=1,2,3 for the long form. */
const runs = Number(process.env.CHECK_RUNS ?? 3)
const seeds = (process.env.CHURN_SEEDS ?? '7').split(',').map(Number)

const folder = mkdtempSync(join(tmpdir(), 'check-under-churn-'))
afterAll(() => rmSync(folder, { recursive: true }))

describe.each(seeds)('with the seed %i', (seed) => {
  it.each(['/api', '/json-api'])(
    'the bookstore at %s responds as its document says while another client replaces covers, deletes genres and aborts scans',
    async (base) => {
      const name = `${base.slice(1)}-${seed}`
      const DATABASE_URL = `sqlite:${join(folder, `${name}.db`)}`
      const bookstore = await startBookstore({ DATABASE_URL, BLOBS_DIR: join(folder, name) })
      const document = (await (
        await fetch(`${bookstore.address}${base}/openapi.json`)
      ).json()) as object
      const churn = startChurn(bookstore.address)
      const report = await check(document, new URL(bookstore.address + base), { runs, seed })
      const outcomes = await churn.stop()
      const code = await bookstore.stop()

      if (runs >= 100) console.log(name, report.requestCount, 'requests;', outcomes)
      expect(report.findings, `seed ${seed}`).toEqual([])
      expect(report.successCount).toBeGreaterThan(report.operationCount)
      const errors = Object.keys(outcomes).filter((outcome) => / 5(?!03)/.test(outcome))
      expect(errors, JSON.stringify(outcomes)).toEqual([])
      for (const done of ['set cover 200', 'get cover 200', 'relate genre 204', 'delete genre 204'])
        expect(outcomes[done] ?? 0, `${done} in ${JSON.stringify(outcomes)}`).toBeGreaterThan(0)
      expect(
        bookstore.output().split('\n').slice(1).join('\n').trim(),
        'nothing is printed but the address',
      ).toBe('')
      expect(code).toBe(0)
    },
    240_000 + runs * 60_000,
  )
})
