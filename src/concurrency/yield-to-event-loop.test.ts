import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { TimeSlice } from './time-slice.ts'
import { isEventLoopBusy, yieldToEventLoop } from './yield-to-event-loop.ts'

it('keeps a turn of the event loop short, however much work waits', async () => {
  const taskCount = 40
  let done = 0
  let maxPerTurn = 0
  const runTask = async () => {
    await yieldToEventLoop()
    compute(4)
    done++
  }
  const all = Promise.all(Array.from({ length: taskCount }, runTask))
  for (let before = 0; done < taskCount; before = done) {
    await setImmediate()
    maxPerTurn = Math.max(maxPerTurn, done - before)
  }
  await all
  // Counted and not timed: each task takes most of a slice.
  expect(maxPerTurn).toBeLessThanOrEqual(3)
})

it('resumes work in the order in which it came', async () => {
  const order: number[] = []
  const runTask = async (index: number) => {
    await yieldToEventLoop()
    order.push(index)
    if (index < 3) await runTask(index + 10)
  }
  await Promise.all([1, 2, 3, 4].map(runTask))
  expect(order).toEqual([1, 2, 3, 4, 11, 12])
})

it('is busy once work has used up a turn of the event loop, and not in the next turn', async () => {
  await setImmediate()
  expect(isEventLoopBusy()).toBe(false)
  compute(8)
  expect(isEventLoopBusy()).toBe(true)
  await setImmediate()
  await setImmediate()
  expect(isEventLoopBusy()).toBe(false)
})

function compute(ms: number): void {
  const deadline = performance.now() + ms
  while (performance.now() < deadline);
}

it('a signal is not created while its owner knows that it is not aborted', async () => {
  let created = 0
  const waiter = {
    isAborted: false as boolean | undefined,
    get signal() {
      created++
      return AbortSignal.abort(new Error('left'))
    },
  }
  await yieldToEventLoop(waiter)
  await new TimeSlice(waiter, { holdsLock: true }).yieldToEventLoop()
  expect(created).toBe(0)
  for (const isAborted of [true, undefined]) {
    waiter.isAborted = isAborted
    await expect(yieldToEventLoop(waiter)).rejects.toThrow('left')
  }
})
