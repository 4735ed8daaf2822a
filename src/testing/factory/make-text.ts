import { createRequire } from 'node:module'
import type { JsonSchema } from '../../schema/json-schema.ts'
import type { ValueSource } from './value-source.ts'

/** Undefined if the text has a pattern and fast-check is not installed. */
export function makeText(schema: JsonSchema, source: ValueSource): string | undefined {
  const { format, pattern, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  const { name, number, random } = source
  const formatted = format === undefined ? undefined : textsByFormat[format]?.(source)
  if (formatted !== undefined) return formatted
  if (pattern !== undefined) return textMatching(pattern, random, minLength, maxLength)
  const text = `${name} ${number}`
  // The number stays, so that texts differ.
  return text.length <= maxLength
    ? text.padEnd(minLength, '.')
    : `${number}`.padStart(minLength, '0').slice(-maxLength)
}

const textsByFormat: Readonly<Record<string, (source: ValueSource) => string>> = {
  email: ({ name, number }) => `${lettersOf(name)}${number}@example.com`,
  uri: ({ name, number }) => `https://example.com/${lettersOf(name)}/${number}`,
  date: ({ number }) => momentOf(number).slice(0, 10),
  'date-time': ({ number }) => momentOf(number),
  time: ({ number }) => momentOf(number).slice(11, 19),
  decimal: ({ number }) => String(number),
  uuid: ({ number, random }) => uuidOf(number, random),
  ipv4: ({ number }) => `192.0.2.${number % 256}`,
  ipv6: ({ number }) => `2001:db8::${(number % 65_536).toString(16)}`,
}

function lettersOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '') || 'value'
}

/** A day and a second later for each item. */
function momentOf(number: number): string {
  const start = Date.UTC(2024, 0, 1, 9)
  return new Date(start + (number % 100_000) * 86_401_000).toISOString()
}

/** A version 4 UUID (RFC 9562 §5.4) that ends with the number of the item. */
function uuidOf(number: number, random: () => number): string {
  const digits = Array.from({ length: 20 }, () => Math.floor(random() * 16).toString(16)).join('')
  const end = (number % 2 ** 48).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(12, 15)}-8${digits.slice(15, 18)}-${end}`
}

/** Several are made, for one whose length fits. */
const attempts = 50

function textMatching(
  pattern: string,
  random: () => number,
  minLength: number,
  maxLength: number,
): string | undefined {
  const check = fastCheck()
  if (!check) return undefined
  try {
    const seed = Math.floor(random() * 2 ** 31)
    return check
      .sample(check.stringMatching(new RegExp(pattern)), { seed, numRuns: attempts })
      .find((text) => text.length >= minLength && text.length <= maxLength)
  } catch {
    // It has look-around, which fast-check cannot read.
    return undefined
  }
}

/** An optional package; texts with a pattern need it. */
function fastCheck(): typeof import('fast-check') | undefined {
  try {
    return createRequire(import.meta.url)('fast-check') as typeof import('fast-check')
  } catch {
    return undefined
  }
}
