import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { paused, pausedIfNeeded } from './lockable-step.ts'
import { PauseNeeded } from './pause-needed.ts'

/** What happens, in its order. */
const events = vi.hoisted(() => [] as string[])
vi.mock('../../process/pause-old-workers.ts', () => ({
  mayHaveOldWorkers: () => true,
  pauseOldWorkers: async () => void events.push('pause'),
  resumeOldWorkers: () => void events.push('resume'),
}))

beforeEach(() => {
  events.length = 0
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => void vi.useRealTimers())

/** Gaps between attempts have a random part. */
vi.mock('node:timers/promises', () => ({
  setTimeout: (ms: number) => new Promise((resolve) => void setTimeout(resolve, ms)),
}))

const locked = new Error('locked')
const engine = { isLockTimeout: (error: unknown) => error === locked }

/** A step that meets so many locks. */
function stepAfter(locks: number) {
  return async () => {
    events.push('attempt')
    if (locks-- > 0) throw locked
    return 'done'
  }
}

it('lets old workers go on between attempts, for longer each time', async () => {
  const outcome = paused(engine, stepAfter(8))
  const attempts: number[] = []
  for (let second = 0; second < 120; second++) {
    attempts.push(events.filter((event) => event === 'attempt').length)
    await vi.advanceTimersByTimeAsync(1_000)
  }
  expect(await outcome).toBe('done')
  expect(events.join(' ')).toBe(`${'pause attempt resume '.repeat(8)}pause attempt`)
  // They go on for nearly all of the time that others use the tables.
  expect(attempts[10]).toBeLessThanOrEqual(6)
  expect(attempts[40]).toBeLessThanOrEqual(8)
})

it('pauses nobody while a step that needs no pause waits', async () => {
  const outcome = pausedIfNeeded(engine, stepAfter(2))
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await outcome).toBe('done')
  expect(events).toEqual(['attempt', 'attempt', 'attempt'])
})

it('pauses where a step needs that, and fails as it does', async () => {
  const failure = new Error('refused')
  const outcome = pausedIfNeeded(engine, async (needsPause) => {
    events.push(`attempt ${needsPause}`)
    throw needsPause ? new PauseNeeded('pause') : failure
  })
  await expect(outcome).rejects.toBe(failure)
  expect(events).toEqual(['attempt true', 'pause', 'attempt false'])
})
