import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { firstToSucceed } from './first-to-succeed.ts'

/** Attempts that take so long, and fail unless they have a result. */
const attemptsOf = (plans: readonly (readonly [number, string?])[]) => {
  const begun: number[] = []
  const attempts = plans.map(([ms, result], index) => async () => {
    begun.push(index)
    await wait(ms)
    if (result === undefined) throw new Error(`${index}`)
    return result
  })
  return { begun, attempts }
}

describe('firstToSucceed', () => {
  it('begins the next attempt at once where one fails, and none after a success', async () => {
    const { begun, attempts } = attemptsOf([[0], [0], [5, 'third'], [0, 'fourth']])
    const startedAt = performance.now()
    const outcome = await firstToSucceed(attempts, {
      pauseMs: 2_000,
      retryMs: 2_000,
      onLate: () => {},
    })
    expect(outcome).toEqual({ value: 'third' })
    expect(begun).toEqual([0, 1, 2])
    expect(performance.now() - startedAt).toBeLessThan(1_000)
  })

  it('does not wait for an attempt that takes long, and passes on what comes late', async () => {
    const late: string[] = []
    const { attempts } = attemptsOf([[120, 'first'], [0], [0, 'third']])
    const onLate = (value: string) => void late.push(value)
    expect(await firstToSucceed(attempts, { pauseMs: 20, retryMs: 2_000, onLate })).toEqual({
      value: 'third',
    })
    expect(late).toEqual([])
    await expect.poll(() => late).toEqual(['first'])
  })

  it('waits for a slow attempt where the others fail', async () => {
    const { begun, attempts } = attemptsOf([[80, 'first'], [0]])
    const outcome = await firstToSucceed(attempts, {
      pauseMs: 10,
      retryMs: 2_000,
      onLate: () => {},
    })
    expect([outcome, begun]).toEqual([{ value: 'first' }, [0, 1]])
  })

  it('has the errors of all in their order', async () => {
    const { attempts } = attemptsOf([[60], [0], [10]])
    const outcome = await firstToSucceed(attempts, {
      pauseMs: 10,
      retryMs: 2_000,
      onLate: () => {},
    })
    expect(outcome).toEqual({ errors: ['0', '1', '2'].map((text) => new Error(text)) })
  })

  it('makes those again that have failed while another one takes its time', async () => {
    let count = 0
    const attempts = [
      () => wait(5_000, 'first', { ref: false }),
      async () => {
        if (++count < 4) throw new Error('not yet')
        return 'second'
      },
    ]
    const startedAt = performance.now()
    const options = { pauseMs: 10, retryMs: 20, onLate: () => {} }
    expect(await firstToSucceed(attempts, options)).toEqual({ value: 'second' })
    expect(count).toBe(4)
    expect(performance.now() - startedAt).toBeLessThan(2_000)
  })

  it('makes none again once all have ended', async () => {
    const { begun, attempts } = attemptsOf([[60], [0]])
    await firstToSucceed(attempts, { pauseMs: 5, retryMs: 25, onLate: () => {} })
    const { length } = begun
    expect(length).toBeGreaterThan(2)
    await wait(80)
    expect(begun).toHaveLength(length)
  })
})
