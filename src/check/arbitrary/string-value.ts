import fc from 'fast-check'
import type { SchemaObject } from './merge-schemas.ts'

/**
 * Texts by format, by pattern, or of any characters, within the lengths of the schema (counted in
 * code points).
 */
export function stringValue(schema: SchemaObject): fc.Arbitrary<string> {
  const minLength = typeof schema.minLength === 'number' ? schema.minLength : 0
  const maxLength = typeof schema.maxLength === 'number' ? schema.maxLength : minLength + 40
  const { format, pattern } = schema
  const formatted = typeof format === 'string' ? textsByFormat[format] : undefined
  if (formatted) return formatted
  if (typeof pattern === 'string') return textMatching(pattern, minLength, maxLength)
  return fc.array(character, { minLength, maxLength }).map((characters) => characters.join(''))
}

/** Any code point but NUL and half a surrogate pair, which JSON can say and databases refuse. */
const character = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 }) },
  {
    weight: 2,
    arbitrary: fc
      .string({ unit: 'binary', minLength: 1, maxLength: 1 })
      .filter((one) => one !== '\0'),
  },
)

const day = fc.date({
  min: new Date('0001-01-01'),
  max: new Date('9999-12-31'),
  noInvalidDate: true,
})

const textsByFormat: Readonly<Record<string, fc.Arbitrary<string>>> = {
  date: day.map((one) => one.toISOString().slice(0, 10)),
  'date-time': day.map((one) => one.toISOString()),
  time: day.map((one) => one.toISOString().slice(11)),
  uuid: fc.uuid(),
  email: fc
    .tuple(fc.stringMatching(/^[a-z]{1,12}$/), fc.stringMatching(/^[a-z]{1,12}$/))
    .map(([name, host]) => `${name}@${host}.example`),
  uri: fc.webUrl(),
  'uri-reference': fc.webPath(),
}

/**
 * What a pattern with look-around matches cannot be made from it; plain identifiers that match are
 * the next best.
 */
function textMatching(pattern: string, minLength: number, maxLength: number): fc.Arbitrary<string> {
  const expression = new RegExp(pattern, 'u')
  const fits = (text: string) =>
    text.length >= minLength && text.length <= maxLength && expression.test(text)
  try {
    return fc.stringMatching(new RegExp(pattern)).filter(fits)
  } catch {
    return fc
      .stringMatching(/^[a-z][a-z0-9]{2,20}$/)
      .map((text) => (fits(text) ? text : text.slice(0, maxLength)))
  }
}
