import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLinearPattern } from './linear-pattern.ts'

test.each([
  '^a$',
  '@',
  '[^ ]',
  '[0-9]+',
  '^A[\\s\\S][\\s\\S]*\\.x$',
  '^[a-z]{2}\\d+(-x)?$',
  '^[A-Z][0-9]',
  '^[a-z]+@[a-z]+\\.[a-z]+$',
  '^\\d+(\\.\\d+)?$',
  '^(new|used)$',
  '^(ab)*$',
  '^\\+?[0-9 ]{5,30}$',
  '^\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}$',
  '^é+ü+$',
])('%s takes time in proportion to the text', (source) => {
  expect(isLinearPattern(source)).toBe(true)
})

test.each([
  '^([a-z0-9]+-?)+$',
  '^(a|a)*$',
  '^(a|b)+$',
  '^(a?){30}$',
  '^(a*)*$',
  '^((ab)+)+$',
  // Each text is tried from each of its characters, or is cut in each way.
  'a[\\s\\S]*b',
  '[0-9]+$',
  '^[\\s\\S]*a[\\s\\S]*b$',
  '^\\d+\\d+$',
  '^\\d+[a-z]?\\d+$',
  '^[a-z]+(-?[a-z]+)$',
  '^[^@]+@[^@]+\\.[^@]+$',
  `^${'a?'.repeat(20)}b$`,
  '^[a-z]{1,200}[a-z]{1,200}[0-9]$',
  'a{5000}',
  // Not what pulled patterns consist of.
  '(?=a)b',
  '*',
  '(a',
])('%s may take longer', (source) => {
  expect(isLinearPattern(source)).toBe(false)
})

const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '[\\s\\S]', '\\d', '-')
const times = fc.constantFrom('', '', '*', '+', '?', '{2}', '{1,30}', '{2,}')
const quantified = fc.tuple(atom, times).map(([part, repeats]) => part + repeats)
const group = fc
  .tuple(fc.array(quantified, { minLength: 1, maxLength: 3 }), fc.array(quantified), times)
  .map(
    ([one, other, repeats]) => `(${[one, other].map((each) => each.join('')).join('|')})${repeats}`,
  )
const sources = fc
  .tuple(
    fc.constantFrom('', '^'),
    fc.array(fc.oneof({ weight: 4, arbitrary: quantified }, group), { minLength: 1, maxLength: 6 }),
    fc.constantFrom('', '$'),
  )
  .map(([start, parts, end]) => start + parts.join('') + end)

test('An expression that passes is never slow with long texts that almost match', () => {
  // Its square is 1.6 · 10¹¹, which would take minutes.
  const length = 400_000
  fc.assert(
    fc.property(sources, fc.constantFrom('a', 'b', '-', '1', 'ab', 'a-'), (source, unit) => {
      fc.pre(isLinearPattern(source))
      const expression = new RegExp(source, 'u')
      for (const end of ['', '!', '\n', 'b']) {
        const start = performance.now()
        expression.test(unit.repeat(length / unit.length) + end)
        expect(performance.now() - start).toBeLessThan(5_000)
      }
    }),
    { numRuns: 200 },
  )
})
