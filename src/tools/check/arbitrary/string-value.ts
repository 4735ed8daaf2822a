import fc from 'fast-check'
import { boundedPattern } from '../bounded-pattern.ts'
import type { SchemaObject } from './merge-schemas.ts'

/** Strings by format, by pattern, or of any characters, with a valid length in code points. */
export function stringValue(schema: SchemaObject): fc.Arbitrary<string> {
  const minLength = typeof schema.minLength === 'number' ? schema.minLength : 0
  const maxLength = typeof schema.maxLength === 'number' ? schema.maxLength : minLength + 40
  const { format, pattern } = schema
  const formatted = typeof format === 'string' ? textsByFormat[format] : undefined
  if (formatted) return formatted
  if (typeof pattern === 'string') return textMatching(pattern, minLength, maxLength)
  return fc.array(character, { minLength, maxLength }).map((characters) => characters.join(''))
}

/** Any code point but NUL and lone surrogates, which databases refuse. */
const character = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
  {
    weight: 2,
    arbitrary: fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((text) => text !== '\0'),
  },
)

const date = fc.date({
  min: new Date('0001-01-01'),
  max: new Date('9999-12-31'),
  noInvalidDate: true,
})

const textsByFormat: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: date.map((value) => value.toISOString().slice(0, 10)),
  'date-time': date.map((value) => value.toISOString()),
  time: date.map((value) => value.toISOString().slice(11)),
  uuid: fc.uuid(),
  email: fc
    .tuple(fc.stringMatching(/^[a-z]{1,12}$/), fc.stringMatching(/^[a-z]{1,12}$/))
    .map(([name, host]) => `${name}@${host}.example`),
  uri: fc.webUrl(),
  'uri-reference': fc.webPath(),
}

/** Keywords can exclude each other, and a filter would look for a text for ever. */
const maxMisses = 10_000

/** fast-check cannot generate from a pattern with look-around, so those get plain words. */
function textMatching(pattern: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  const expression = boundedPattern(pattern, 'u')
  let misses = 0
  const fits = (text: string) => {
    const isFit = text.length >= minLength && text.length <= maxLength && expression.test(text)
    misses = isFit ? 0 : misses + 1
    if (misses > maxMisses)
      throw new Error(`No text of ${minLength} to ${maxLength} characters matches '${pattern}'.`)
    return isFit
  }
  try {
    return fc.stringMatching(new RegExp(pattern)).filter(fits)
  } catch {
    return fc
      .stringMatching(/^[a-z][a-z0-9]{2,20}$/)
      .map((text) => (fits(text) ? text : text.slice(0, maxLength)))
  }
}
