import { expect, test } from 'vitest'
import type { LogEntry } from './log-entry.ts'
import { jsonLine, readableLine } from './log-line.ts'

const entry: LogEntry = {
  time: new Date(2026, 0, 31, 12, 5, 9).toISOString(),
  method: 'GET',
  route: '/api/books/{id}',
  status: 200,
  bytes: 120,
  durationMs: 1.7,
  address: '203.0.113.7',
  isAborted: false,
  requestId: 'r-1',
  traceId: undefined,
}

test('a line of JSON has what is known', () => {
  expect(JSON.parse(jsonLine(entry))).toEqual({ ...entry, traceId: undefined })
  expect(jsonLine(entry)).not.toContain('traceId')
})

test('a line of JSON has the message and the stack of an error', () => {
  const error = new TypeError('no store')
  expect(JSON.parse(jsonLine({ ...entry, error })).error).toEqual({
    name: 'TypeError',
    message: 'no store',
    stack: error.stack,
  })
  expect(JSON.parse(jsonLine({ ...entry, error: 'no store' })).error).toEqual({
    message: 'no store',
  })
})

test('a readable line has what people look for', () => {
  expect(readableLine(entry)).toBe('12:05:09  200  GET  /api/books/{id}  1.7 ms  120 B  r-1')
  expect(
    readableLine({
      ...entry,
      path: '/api/books/emma',
      status: 404,
      code: 'not-found',
      caller: 'jane',
    }),
  ).toBe('12:05:09  404  GET  /api/books/emma  1.7 ms  120 B  not-found  jane  r-1')
  expect(readableLine({ ...entry, status: undefined, route: undefined, isAborted: true })).toBe(
    '12:05:09  ---  GET  -  1.7 ms  120 B  aborted  r-1',
  )
})

test.each([jsonLine, readableLine])('no control character reaches a terminal', (lineOf) => {
  const line = lineOf({ ...entry, caller: 'a\u001b[31m\n\u009b\u2028' })
  expect(line).not.toMatch(/[\p{Cc}\u2028]/u)
  expect(line).toContain('\\u001b[31m')
})
