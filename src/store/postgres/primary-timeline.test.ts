import { expect, it, vi } from 'vitest'
import { PrimaryTimeline } from './primary-timeline.ts'
import { parsePosition, writePositions } from './write-position.ts'

it('A position has a timeline in hexadecimal digits and a log sequence number', () => {
  expect(parsePosition('1F-16/B374D848')).toEqual({ timeline: 31, lsn: '16/B374D848' })
  expect(['1-0/0', 'ffffffff-ffffffff/ffffffff'].map(writePositions.isValid)).toEqual([true, true])
  for (const text of ['0/16B3748', '1-0', '-0/1', '1-0/1;', '1-0/123456789', ' 1-0/1'])
    expect([text, writePositions.isValid(text)]).toEqual([text, false])
})

it('PrimaryTimeline asks the primary once in a second, and remembers the latest', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  let answer: string | undefined
  const ask = vi.fn(async () => answer)
  const timeline = new PrimaryTimeline(ask)
  const first = parsePosition('1-0/5')
  timeline.refresh()
  timeline.refresh()
  await Promise.resolve()
  expect([ask.mock.calls.length, timeline.isAfter(first)]).toEqual([1, false])
  answer = '2-0/4'
  vi.advanceTimersByTime(1_000)
  timeline.refresh()
  await vi.waitFor(() => expect(timeline.isAfter(first)).toBe(true))
  expect(timeline.isAfter(parsePosition('2-0/9'))).toBe(false)
  answer = '1-0/9'
  expect(await timeline.position()).toBe('1-0/9')
  expect(timeline.isAfter(first)).toBe(true)
  vi.useRealTimers()
})
