import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLike } from './like.ts'

/** The definition of a pattern, character by character. */
function matchesPattern(text: readonly string[], [first, ...rest]: readonly string[]): boolean {
  if (first === undefined) return text.length === 0
  if (first === '%')
    return (
      matchesPattern(text, rest) ||
      (text.length > 0 && matchesPattern(text.slice(1), [first, ...rest]))
    )
  return (
    text.length > 0 && (first === '_' || first === text[0]) && matchesPattern(text.slice(1), rest)
  )
}

test('a pattern matches the strings that its definition matches', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '😀'), { maxLength: 8 })
  const patterns = fc.array(fc.constantFrom('a', 'b', '😀', '_', '%'), { maxLength: 6 })
  fc.assert(
    fc.property(texts, patterns, (text, pattern) => {
      expect(isLike(text.join(''), pattern.join(''))).toBe(matchesPattern(text, pattern))
    }),
    { numRuns: 3_000 },
  )
})

test('a long string is matched against a pattern full of wildcards without backtracking', () => {
  const text = 'a'.repeat(262_144)
  const startedAt = performance.now()
  for (const pattern of [
    `${'%a'.repeat(49)}%b`,
    `%${'_'.repeat(98)}b`,
    `%${'a'.repeat(97)}b%`,
    `${'%_a'.repeat(33)}b`,
  ])
    expect(isLike(text, pattern)).toBe(false)
  expect(performance.now() - startedAt).toBeLessThan(2_000)
})
