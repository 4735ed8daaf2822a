import { expect, test } from 'vitest'
import { traceIdOf } from './trace-parent.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const parent = '00f067aa0ba902b7'

test.each([
  `00-${trace}-${parent}-01`,
  `00-${trace}-${parent}-00`,
  `cc-${trace}-${parent}-01`,
  `cc-${trace}-${parent}-01-what-comes-later`,
])('reads %s', (header) => {
  expect(traceIdOf(header)).toBe(trace)
})

test.each([
  undefined,
  '',
  trace,
  `00-${trace}-${parent}`,
  `00-${trace}-${parent}-01-later`,
  `ff-${trace}-${parent}-01`,
  `00-${'0'.repeat(32)}-${parent}-01`,
  `00-${trace}-${'0'.repeat(16)}-01`,
  `00-${trace.toUpperCase()}-${parent}-01`,
  `cc-${trace}-${parent}-01.later`,
  `00-${trace}-${parent}-01, 00-${trace}-${parent}-01`,
])('ignores %s', (header) => {
  expect(traceIdOf(header)).toBeUndefined()
})
