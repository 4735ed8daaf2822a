import { describe, expect, it } from 'vitest'
import { quantile, type Step, simulate } from '../../scripts/scaling/simulate.mjs'
import { waitingIn } from '../../scripts/scaling/waiting.mjs'

const us = 1_000
const mean = (values: readonly number[]) =>
  values.reduce((sum, value) => sum + value, 0) / values.length

describe('The simulation agrees with what is known of queues', () => {
  it.each([0.3, 0.5, 0.7, 0.9])(
    'one server, each request takes as long (M/D/1), load %d',
    (load) => {
      const { waitsUs } = simulate({
        stations: [1],
        perSecond: load * 1_000,
        requests: 300_000,
        seed: 1,
        stepsOf: () => [{ station: 0, us }],
      })
      const expected = (load / (2 * (1 - load))) * us
      expect(mean(waitsUs) / expected).toBeGreaterThan(0.93)
      expect(mean(waitsUs) / expected).toBeLessThan(1.07)
    },
  )

  it('four servers, times of requests are random (M/M/4)', () => {
    const [servers, load] = [4, 0.8]
    const { waitsUs } = simulate({
      stations: [servers],
      perSecond: servers * load * 1_000,
      requests: 300_000,
      seed: 1,
      stepsOf: (random) => [{ station: 0, us: -Math.log(1 - random()) * us }],
    })
    const expected = (erlangC(servers, load) * us) / (servers * (1 - load))
    expect(mean(waitsUs) / expected).toBeGreaterThan(0.93)
    expect(mean(waitsUs) / expected).toBeLessThan(1.07)
    // Those who find a free server do not wait.
    const waiting = waitsUs.filter((wait) => wait > 0.001).length / waitsUs.length
    expect(waiting).toBeCloseTo(erlangC(servers, load), 1)
  })
})

/** The share of requests that wait. */
function erlangC(servers: number, load: number): number {
  const offered = servers * load
  let term = 1
  let sum = 0
  for (let busy = 0; busy < servers; busy++) {
    sum += term
    term *= offered / (busy + 1)
  }
  const all = term / (1 - load)
  return all / (sum + all)
}

describe('A lock', () => {
  const locked = (stations: number, requests: number, perSecond: number) =>
    simulate({
      stations: Array.from({ length: stations }, () => 1),
      perSecond,
      requests,
      seed: 2,
      stepsOf: (random) => [{ station: Math.floor(random() * stations), us, isLocked: true }],
    })

  it('lets one request through at a time, whatever the number of stations', () => {
    const { endedShare } = locked(8, 20_000, 3_000)
    expect(3_000 * endedShare).toBeGreaterThan(980)
    expect(3_000 * endedShare).toBeLessThan(1_020)
  })

  it('keeps nobody waiting who needs none', () => {
    const steps: Readonly<Record<string, readonly Step[]>> = {
      read: [{ station: 0, us: 1 }],
      write: [{ station: 1, us, isLocked: true }],
    }
    const { waitsUs, endedShare } = simulate({
      stations: [1, 1],
      perSecond: 4_000,
      requests: 20_000,
      seed: 3,
      stepsOf: (random) => (random() < 0.5 ? steps['read']! : steps['write']!),
    })
    expect(quantile(waitsUs, 0.4)).toBeLessThan(2)
    expect(quantile(waitsUs, 0.9)).toBeGreaterThan(us)
    // Of 2 000 writes a second, 1 000 end; the reads do not hide that.
    expect(endedShare).toBeCloseTo(0.5, 1)
  })
})

describe('Waiting in a deployment', () => {
  const deployment = {
    fullPerSecond: 1_000,
    stations: [1],
    stepsOf: () => [{ station: 0, us }],
  }

  it('grows with the load, and is the same each time', () => {
    const { waits, most, doubledAt } = waitingIn(deployment)
    const slowest = waits.map(({ p99Ms }) => p99Ms)
    expect(slowest).toEqual([...slowest].sort((one, other) => one - other))
    expect(most).toBeCloseTo(1, 1)
    expect(doubledAt).toBeGreaterThan(0.5)
    expect(doubledAt).toBeLessThan(0.9)
    expect(waitingIn(deployment)).toEqual({ waits, most, doubledAt })
  })

  it('shows that a deployment carries less than it should', () => {
    const slower = { ...deployment, stepsOf: () => [{ station: 0, us: 1.25 * us }] }
    expect(waitingIn(slower).most).toBeCloseTo(0.8, 1)
  })
})
