import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StoreClosed } from '../store/store-failures.ts'
import { regularly } from './regularly.ts'
import { repeatUntilClosed } from './repeat-until-closed.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

const pauseMs = 1_000

it('reports errors of regular work and goes on, and ends without a report once the store is closed', async () => {
  const away = new Error('away')
  const failures: readonly (Error | undefined)[] = [away, undefined, new StoreClosed('Closed.')]
  let runs = 0
  const errors: unknown[] = []
  const work = regularly(
    async () => {
      const failure = failures[runs++]
      if (failure) throw failure
    },
    pauseMs,
    (error) => errors.push(error),
  )
  await vi.advanceTimersByTimeAsync(10 * pauseMs)
  expect({ runs, errors }).toEqual({ runs: failures.length, errors: [away] })
  await work.stop()
})

it('repeats work until the store is closed, which is no failure', async () => {
  let runs = 0
  const errors: unknown[] = []
  await repeatUntilClosed(
    new AbortController().signal,
    async () => {
      if (++runs === 3) throw new StoreClosed('Closed.')
    },
    (error) => errors.push(error),
  )
  expect({ runs, errors }).toEqual({ runs: 3, errors: [] })
})
