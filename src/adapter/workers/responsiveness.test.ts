import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Responsiveness } from './responsiveness.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function watched(owesMessage: () => boolean) {
  const events: string[] = []
  const responsiveness = new Responsiveness({
    owesMessage,
    onBlocked: () => void events.push('blocked'),
    onResponsive: () => void events.push('responsive'),
    onGivenUp: () => void events.push('given up'),
  })
  return { events, responsiveness }
}

it('is blocked after ten seconds without a message, and given up after forty', () => {
  const { events } = watched(() => true)
  vi.advanceTimersByTime(9_000)
  expect(events).toEqual([])
  vi.advanceTimersByTime(1_000)
  expect(events).toEqual(['blocked'])
  vi.advanceTimersByTime(30_000)
  expect(events).toEqual(['blocked', 'given up'])
})

it('is not blocked while it sends messages, or has nothing to send', () => {
  const idle = watched(() => false)
  const busy = watched(() => true)
  for (let second = 0; second < 60; second++) {
    vi.advanceTimersByTime(1_000)
    busy.responsiveness.onMessage()
  }
  expect([busy.events, idle.events]).toEqual([[], []])
})

it('is responsive again after a message, and blocked again after ten more seconds', () => {
  const { events, responsiveness } = watched(() => true)
  vi.advanceTimersByTime(12_000)
  responsiveness.onMessage()
  responsiveness.onMessage()
  expect(events).toEqual(['blocked', 'responsive'])
  vi.advanceTimersByTime(10_000)
  expect(events).toEqual(['blocked', 'responsive', 'blocked'])
  responsiveness.end()
  vi.advanceTimersByTime(60_000)
  expect(events.length).toBe(3)
})
