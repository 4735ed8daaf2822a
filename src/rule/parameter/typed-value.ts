import { shortened } from '../../error/shortened.ts'
import { losesValue } from '../../http/number-text.ts'
import { type ScalarType, valuesOf } from '../../model/value-type.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { listed } from './client-path.ts'

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
export function typedValue(type: ScalarType, text: string): TypedValue {
  return listedIn(type, readText(type, text))
}

/** Checks a literal of a filter expression against the field it is compared with. */
export function typedLiteral(type: ScalarType, literal: Scalar): TypedValue {
  return literal === null ? value(null) : listedIn(type, checkLiteral(type, literal))
}

/** A filter by a value that no item can have is a mistake, not a question. */
function listedIn(type: ScalarType, typed: TypedValue): TypedValue {
  const values: readonly Scalar[] | undefined = valuesOf(type)
  if (typed.kind === 'unfit' || !values || values.includes(typed.value)) return typed
  return unfit(`one of ${listed(inWords(values))}`)
}

/** The first ones, where there are many: a fault for each of many values would else repeat them all. */
function inWords(values: readonly Scalar[]): readonly string[] {
  const words = values.slice(0, mostNamed).map((value) => (value === '' ? "''" : shortened(String(value))))
  return values.length > mostNamed ? [...words, `or another of the ${values.length} values`] : words
}

const mostNamed = 20

function readText(type: ScalarType, text: string): TypedValue {
  switch (type.kind) {
    case 'text':
      return typedText(type.format, text)
    case 'number':
      return decimal.test(text) && !losesValue(text)
        ? value(Number(text))
        : unfit('a number that can be kept exactly, such as 9.5')
    case 'integer':
      return decimal.test(text) && !losesValue(text) && Number.isSafeInteger(Number(text))
        ? value(Number(text))
        : unfit('a whole number, such as 42')
    case 'boolean':
      return text === 'true' || text === 'false' ? value(text === 'true') : unfit('true or false')
  }
}

function checkLiteral(type: ScalarType, literal: Exclude<Scalar, null>): TypedValue {
  if (typeof literal === 'string') return type.kind === 'text' ? typedText(type.format, literal) : unfit(describe(type))
  if (typeof literal === 'boolean') return type.kind === 'boolean' ? value(literal) : unfit(describe(type))
  if (type.kind === 'number' || (type.kind === 'integer' && Number.isSafeInteger(literal))) return value(literal)
  return unfit(describe(type))
}

function typedText(format: string | undefined, text: string): TypedValue {
  if (text.includes('\0')) return unfit('text without the character U+0000')
  if (format === 'date' && !(date.test(text) && isCalendarDay(text))) return unfit('a date, such as 1818-01-01')
  if (format === 'date-time' && !(dateTime.test(text) && !Number.isNaN(Date.parse(text)))) {
    return unfit('a point in time, such as 2024-05-01T12:00:00Z')
  }
  return value(text)
}

/** `Date.parse` takes 30 February for 1 March. */
function isCalendarDay(text: string): boolean {
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

function describe(type: ScalarType): string {
  const example = {
    text: "text in single quotes, such as 'Dune'",
    number: 'a number, such as 9.5',
    integer: 'a whole number, such as 42',
    boolean: 'true or false',
  }
  return example[type.kind]
}

function value(of: Scalar): TypedValue {
  return { kind: 'value', value: of }
}

function unfit(expected: string): TypedValue {
  return { kind: 'unfit', expected }
}
