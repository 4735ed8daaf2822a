import { truncate } from '../../error/truncate.ts'
import { losesPrecision } from '../../http/json/number-precision.ts'
import { allowedValuesOf, type ScalarType } from '../../model/value-type.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { joinNames } from './resolve-wire-path.ts'

export type TypedValue =
  | { readonly kind: 'value'; readonly value: Scalar }
  /** Says what would be right. */
  | { readonly kind: 'unfit'; readonly expected: string }

/** How numbers are written, as the source of a regular expression. */
export const decimalPattern = '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d{1,3})?'
const decimal = new RegExp(`^${decimalPattern}$`)
const date = /^\d{4}-\d{2}-\d{2}$/
const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})$/

/** Reads the text of a parameter as a value of the field it is compared with. */
export function parseTypedValue(type: ScalarType, text: string): TypedValue {
  return checkAllowed(type, parseText(type, text))
}

/** Checks a literal of a filter expression against the field it is compared with. */
export function checkTypedLiteral(type: ScalarType, literal: Scalar): TypedValue {
  return literal === null ? validValue(null) : checkAllowed(type, checkLiteral(type, literal))
}

/** A filter by a value that no item can have is a mistake, not a question. */
function checkAllowed(type: ScalarType, typed: TypedValue): TypedValue {
  const values: readonly Scalar[] | undefined = allowedValuesOf(type)
  if (typed.kind === 'unfit' || !values || values.includes(typed.value)) return typed
  return invalidValue(`one of ${joinNames(describeValues(values))}`)
}

/**
 * The first ones, where there are many: a fault for each of many values would else repeat them all.
 */
function describeValues(values: readonly Scalar[]): readonly string[] {
  const words = values
    .slice(0, maxNamedValues)
    .map((value) => (value === '' ? "''" : truncate(String(value))))
  return values.length > maxNamedValues
    ? [...words, `or another of the ${values.length} values`]
    : words
}

const maxNamedValues = 20

function parseText(type: ScalarType, text: string): TypedValue {
  switch (type.kind) {
    case 'text':
      return checkText(type.format, text)
    case 'number':
      return decimal.test(text) && !losesPrecision(text)
        ? validValue(Number(text))
        : invalidValue('a number that can be kept exactly, such as 9.5')
    case 'integer':
      return decimal.test(text) && !losesPrecision(text) && Number.isSafeInteger(Number(text))
        ? validValue(Number(text))
        : invalidValue('a whole number, such as 42')
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
  if (text.includes('\0')) return invalidValue('text without the character U+0000')
  if (format === 'date' && !(date.test(text) && isCalendarDay(text)))
    return invalidValue('a date, such as 1818-01-01')
  if (format === 'date-time' && !(dateTime.test(text) && !Number.isNaN(Date.parse(text)))) {
    return invalidValue('a point in time, such as 2024-05-01T12:00:00Z')
  }
  return validValue(text)
}

/** `Date.parse` takes 30 February for 1 March. */
function isCalendarDay(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function describeType(type: ScalarType): string {
  const example = {
    text: "text in single quotes, such as 'Dune'",
    number: 'a number, such as 9.5',
    integer: 'a whole number, such as 42',
    boolean: 'true or false',
  }
  return example[type.kind]
}

function validValue(of: Scalar): TypedValue {
  return { kind: 'value', value: of }
}

function invalidValue(expected: string): TypedValue {
  return { kind: 'unfit', expected }
}
