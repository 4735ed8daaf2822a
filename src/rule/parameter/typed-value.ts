import { truncate } from '../../error/truncate.ts'
import { listNames } from '../../error/unknown-name.ts'
import { losesPrecision } from '../../http/json/number-precision.ts'
import { allowedValuesOf, type ScalarType } from '../../model/value-type.ts'
import { decimalText } from '../../query/decimal.ts'
import type { Scalar } from '../../query/query-plan.ts'

export type TypedValue =
  | { readonly kind: 'value'; readonly value: Scalar }
  | { readonly kind: 'invalid'; readonly expected: string }

/** The source of a regular expression for decimal numbers. */
export const decimalPattern = '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d{1,3})?'
export const decimalNumber: RegExp = new RegExp(`^${decimalPattern}$`)
const date = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/** Parses the text of a parameter as a value of the field. */
export function parseTypedValue(type: ScalarType, text: string): TypedValue {
  return checkAllowed(type, parseText(type, text))
}

/** Checks a literal of a filter expression against the type of the field. */
export function checkTypedLiteral(type: ScalarType, literal: Scalar): TypedValue {
  return literal === null ? validValue(null) : checkAllowed(type, checkLiteral(type, literal))
}

/** A filter by a value that is not in the enum is an error, not an empty list. */
function checkAllowed(type: ScalarType, typed: TypedValue): TypedValue {
  const values: readonly Scalar[] | undefined = allowedValuesOf(type)
  if (typed.kind === 'invalid' || !values || values.includes(typed.value)) return typed
  return invalidValue(`one of ${listNames(describeValues(values))}`)
}

/** At most `maxNamedValues`, because each problem repeats them. */
function describeValues(values: readonly Scalar[]): readonly string[] {
  const words = values
    .slice(0, maxNamedValues)
    .map((value) => (value === '' ? "''" : truncate(String(value))))
  return values.length > maxNamedValues ? [...words, `… (${values.length} values)`] : words
}

const maxNamedValues = 20

function parseText(type: ScalarType, text: string): TypedValue {
  switch (type.kind) {
    case 'text':
      return checkText(type.format, text)
    case 'number':
      return decimalNumber.test(text) && !losesPrecision(text)
        ? validValue(Number(text))
        : invalidValue('a number, such as 9.5')
    case 'integer':
      return decimalNumber.test(text) && !losesPrecision(text) && Number.isSafeInteger(Number(text))
        ? validValue(Number(text))
        : invalidValue('an integer, such as 42')
    case 'boolean':
      return text === 'true' || text === 'false'
        ? validValue(text === 'true')
        : invalidValue('true or false')
  }
}

function checkLiteral(type: ScalarType, literal: Exclude<Scalar, null>): TypedValue {
  if (typeof literal === 'string')
    return type.kind === 'text' ? checkText(type.format, literal) : invalidValue(describeType(type))
  if (typeof literal === 'boolean')
    return type.kind === 'boolean' ? validValue(literal) : invalidValue(describeType(type))
  if (type.kind === 'number' || (type.kind === 'integer' && Number.isSafeInteger(literal)))
    return validValue(literal)
  return invalidValue(describeType(type))
}

function checkText(format: string | undefined, text: string): TypedValue {
  if (text.includes('\0')) return invalidValue('a string without U+0000')
  if (format === 'date' && !(date.test(text) && isCalendarDay(text)))
    return invalidValue('a date, such as 1818-01-01')
  if (format === 'date-time') {
    const time = dateTime.test(text) ? new Date(text) : undefined
    if (!time || Number.isNaN(time.getTime()))
      return invalidValue('a date-time, such as 2024-05-01T12:00:00Z')
    // Stores compare other years as text.
    if (time.getUTCFullYear() < 0 || time.getUTCFullYear() > 9999)
      return invalidValue('a date-time in the years 0 to 9999 in UTC')
  }
  if (format === 'decimal' && !(decimalText.test(text) && text.length <= maxDecimalLength))
    return invalidValue('a decimal number, such as 9.50')
  return validValue(text)
}

/** More digits than any column has. */
export const maxDecimalLength = 1_000

/** `Date.parse` reads 30 February as 1 March. */
function isCalendarDay(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function describeType(type: ScalarType): string {
  const example = {
    text: "a string in single quotes, such as 'Dune'",
    number: 'a number without quotes, such as 9.5',
    integer: 'an integer without quotes, such as 42',
    boolean: 'true or false',
  }
  return example[type.kind]
}

function validValue(value: Scalar): TypedValue {
  return { kind: 'value', value }
}

function invalidValue(expected: string): TypedValue {
  return { kind: 'invalid', expected }
}
