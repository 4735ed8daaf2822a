import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isLike } from './like.ts'

/** The meaning of a pattern, written down by characters as simply as can be. */
function means(text: readonly string[], [wanted, ...others]: readonly string[]): boolean {
  if (wanted === undefined) return text.length === 0
  if (wanted === '%')
    return means(text, others) || (text.length > 0 && means(text.slice(1), [wanted, ...others]))
  return text.length > 0 && (wanted === '_' || wanted === text[0]) && means(text.slice(1), others)
}

test('a pattern matches what its characters say, one after the other', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', '😀'), { maxLength: 8 })
  const patterns = fc.array(fc.constantFrom('a', 'b', '😀', '_', '%'), { maxLength: 6 })
  fc.assert(
    fc.property(texts, patterns, (text, pattern) => {
      expect(isLike(text.join(''), pattern.join(''))).toBe(means(text, pattern))
    }),
    { numRuns: 3_000 },
  )
})

test('a long text is held against a pattern full of wildcards in no time', () => {
  const text = 'a'.repeat(262_144)
  const begun = performance.now()
  for (const pattern of [
    `${'%a'.repeat(49)}%b`,
    `%${'_'.repeat(98)}b`,
    `%${'a'.repeat(97)}b%`,
    `${'%_a'.repeat(33)}b`,
  ])
    expect(isLike(text, pattern)).toBe(false)
  expect(performance.now() - begun).toBeLessThan(2_000)
})
