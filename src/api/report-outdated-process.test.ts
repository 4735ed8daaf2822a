import { afterEach, expect, test, vi } from 'vitest'
import { OutdatedProcess } from '../store/store-failures.ts'
import { reportOutdatedProcess } from './report-outdated-process.ts'

afterEach(() => {
  vi.useRealTimers()
})

test('an outdated process is reported at once, and again after a minute, other errors always', () => {
  vi.useFakeTimers()
  const reported: string[] = []
  const report = reportOutdatedProcess((error) => reported.push((error as Error).message))
  const fail = (text: string) => {
    report(new OutdatedProcess(text))
    report(new Error('other'))
  }
  fail('1')
  fail('2')
  vi.advanceTimersByTime(59_999)
  fail('3')
  vi.advanceTimersByTime(1)
  fail('4')
  fail('5')
  expect(reported.join()).toBe('1,other,other,other,4,other,other')
})

test('work beside requests that cannot go on because of it is reported with it', () => {
  const reported: string[] = []
  const report = reportOutdatedProcess((error) => reported.push((error as Error).message))
  const cause = new OutdatedProcess('outdated')
  for (const name of ['consumer', 'job']) report(new Error(`The ${name} cannot go on`, { cause }))
  report(cause)
  expect(reported).toEqual(['The consumer cannot go on'])
})
