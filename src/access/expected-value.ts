import { allowedValuesOf, isInstant, type ScalarType } from '../model/value-type.ts'

/**
 * What a constant of an access rule should be instead; undefined if it fits.
 * @param type of the field; undefined for an id
 * @param isPart whether it is a part of a text
 */
export function expectedValue(
  type: ScalarType | undefined,
  value: unknown,
  isPart = false,
): string | undefined {
  if (value === null || value instanceof Date) return undefined
  const expected = typeNameOf(type)
  if (typeof value !== expected) return `a ${expected}`
  if (!type) return undefined
  const allowed = isPart ? undefined : allowedValuesOf(type)
  if (allowed && !allowed.includes(value as string)) return `one of ${allowed.join(', ')}`
  const isUnreadable = isInstant(type) && Number.isNaN(Date.parse(String(value)))
  return isUnreadable ? 'a date-time with an offset' : undefined
}

function typeNameOf(type: ScalarType | undefined): 'number' | 'boolean' | 'string' {
  if (type?.kind === 'number' || type?.kind === 'integer') return 'number'
  return type?.kind === 'boolean' ? 'boolean' : 'string'
}
