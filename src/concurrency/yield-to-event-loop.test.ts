import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { isEventLoopBusy, yieldToEventLoop } from './yield-to-event-loop.ts'

it('however many works wait, a turn of the event loop is as long as few of them', async () => {
  const works = 40
  let done = 0
  let most = 0
  const work = async () => {
    await yieldToEventLoop()
    compute(4)
    done++
  }
  const all = Promise.all(Array.from({ length: works }, work))
  for (let before = 0; done < works; before = done) {
    await setImmediate()
    most = Math.max(most, done - before)
  }
  await all
  // Counted and not timed: each takes most of what a turn allows.
  expect(most).toBeLessThanOrEqual(3)
})

it('lets them go on in the order in which they came, those that come later too', async () => {
  const order: number[] = []
  const work = async (index: number) => {
    await yieldToEventLoop()
    order.push(index)
    if (index < 3) await work(index + 10)
  }
  await Promise.all([1, 2, 3, 4].map(work))
  expect(order).toEqual([1, 2, 3, 4, 11, 12])
})

it('says that the time of a turn is over once works have taken it, and not in the next one', async () => {
  await setImmediate()
  expect(isEventLoopBusy()).toBe(false)
  compute(8)
  expect(isEventLoopBusy()).toBe(true)
  await setImmediate()
  await setImmediate()
  expect(isEventLoopBusy()).toBe(false)
})

function compute(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}
