import { expect, it } from 'vitest'
import { countQuickEnds, restartDelayMs } from './restart-delay.ts'

it('waits longer after each worker that ends soon, up to half a minute', () => {
  let quickEnds = 0
  const delays = Array.from({ length: 12 }, () => {
    quickEnds = countQuickEnds(quickEnds, 50)
    return restartDelayMs(quickEnds)
  })
  expect(delays).toEqual([
    100, 200, 400, 800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000, 30_000,
  ])
})

it('waits no longer after one that ran well', () => {
  expect(restartDelayMs(countQuickEnds(8, 10_000))).toBe(0)
  expect(restartDelayMs(countQuickEnds(0, 9_999))).toBe(100)
})
