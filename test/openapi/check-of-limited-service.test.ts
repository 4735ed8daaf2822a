import { createRouter, hash, model } from 'resourcery'
import { check, checkAccess } from 'resourcery/check'
import { limit } from 'resourcery/limits'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'

async function limitedService(points: number, seconds: number) {
  const router = createRouter({ policy: rest(), basePath: '/api', store: memory() })
  router.use(limit({ points, seconds }))
  router.prepare(model('note', { text: z.string().max(20).regex(/^a*$/), hash: hash() }))
  const server = await serve([router], { port: 0 })
  onTestFinished(() => server.close())
  return {
    document: router.toOpenApi({ info: { title: 'Notes', version: '1' } }),
    base: new URL(`${server.address}/api`),
  }
}

/** From reads of lists over whole lives of items to malformed HTTP. */
it.each([5, 40, 150, 250])(
  'A check finds nothing wrong with a service whose limits refuse it after %i points',
  async (points) => {
    const { document, base } = await limitedService(points, 3_600)
    const report = await check(document, base, { runs: 10, seed: 7 })
    expect(report.findings).toEqual([])
    expect(report.limitedCount).toBeGreaterThan(10)
    expect(report.waitedMs).toBe(0)
  },
  60_000,
)

it('A check waits for the limits of a service, and then checks all of it', async () => {
  const { document, base } = await limitedService(150, 1)
  const report = await check(document, base, { runs: 10, seed: 7 })
  expect(report.findings).toEqual([])
  expect(report.limitedCount).toBe(0)
  expect(report.waitedMs).toBeGreaterThanOrEqual(1_000)
}, 120_000)

it('A comparison of callers says that limits refuse it, instead of comparing refusals', async () => {
  const { document, base } = await limitedService(10, 3_600)
  const callers = ['one', 'other'].map((name) => ({ caller: { name, headers: {} }, document }))
  await expect(checkAccess(callers, base, { seed: 7 })).rejects.toThrow(
    /^As '\w+': A rate limit of the service refuses \w+ \/notes\S* \(429\); expected limits/,
  )
}, 60_000)
