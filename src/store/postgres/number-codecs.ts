import type { DecimalDigits } from '../../model/value-type.ts'
import { canonicalInteger } from '../tables/canonical-texts.ts'
import type { ColumnCodec } from '../tables/column-type.ts'
import { asText, jsonOfText, textCodec, textForm } from './text-codecs.ts'

export const integerCodec: ColumnCodec = {
  ...textCodec,
  sql: 'bigint',
  form: {
    ...textCodec.form,
    text: asText,
    lossless: safeIntegerOrText,
    // The server sums integers of 64 bits as integers of 128.
    exactSum: (value) => `sum(${value}::bigint)::text`,
  },
  json: safeIntegerOrText,
  rawForm: 'integer',
  decode: exactInteger,
}

/** Columns that hold smaller integers compare with larger ones too. */
export const smallIntegerCodec: ColumnCodec = {
  ...integerCodec,
  form: { ...integerCodec.form, operand: asBigint },
  json: asText,
}

/** Integers of a field that may have other numbers too. */
export const smallIntegerNumberCodec: ColumnCodec = { ...smallIntegerCodec, decode: finiteNumber }

/** JavaScript reads the nearest number it has of larger ones. */
export const integerNumberCodec: ColumnCodec = { ...smallIntegerNumberCodec, json: undefined }

/** Ids are texts. Those of a column of integers are the texts of its numbers. */
export const integerIdCodec: ColumnCodec = {
  ...textCodec,
  sql: 'bigint',
  form: textForm(asText, asBigint),
  json: jsonOfText,
  canonical: canonicalInteger,
}

export const numberCodec: ColumnCodec = {
  ...textCodec,
  sql: 'double precision',
  form: {
    ...textCodec.form,
    text: asText,
    // JSON has no `NaN` and no infinity, by which rows are sorted all the same.
    lossless: (column) => numberOrText(column, `not ${isNotFinite(column)}`),
    isUnshown: isNotFinite,
  },
  // JavaScript writes some numbers with an exponent that the server does not, and others without.
  json: undefined,
  rawForm: 'number',
  decode: finiteNumber,
}

/** Numbers of single precision compare as those that clients see. */
export const singleCodec: ColumnCodec = {
  ...numberCodec,
  form: {
    ...numberCodec.form,
    value: (column) => `(${column}::text::double precision)`,
    operand: (value) =>
      value.endsWith('::double precision') ? value : `${value}::double precision`,
  },
}

/** Numbers with all of their digits, as text. */
export const decimalTextCodec: ColumnCodec = {
  ...textCodec,
  form: textForm(asText, (value) => `${value}::numeric`),
  json: jsonOfText,
  canonical: (value) => (decimalPattern.test(value) ? value : undefined),
}

/** The same, in a column that has as many digits as its field. */
export const decimalCodec: ColumnCodec = {
  ...decimalTextCodec,
  sql: 'numeric',
  sized: ({ precision, scale }: DecimalDigits) => `numeric(${precision},${scale})`,
  select: asText,
}

/** A decimal number that JavaScript reads as the nearest number it has. */
export const nearestNumberCodec: ColumnCodec = {
  ...numberCodec,
  form: {
    ...decimalTextCodec.form,
    isUnshown: isNotFinite,
    // Through text, because a cast of a double keeps fifteen digits only.
    operand: (value) =>
      value.endsWith('::double precision') ? `${value}::text::numeric` : `${value}::numeric`,
  },
}

const decimalPattern = /^-?\d{1,1000}(?:\.\d{1,1000})?$/
const maxSafe = Number.MAX_SAFE_INTEGER

/** JSON numbers lose the digits of larger integers. */
function safeIntegerOrText(column: string): string {
  return numberOrText(column, `${column} between ${-maxSafe} and ${maxSafe}`)
}

/** A number as JSON: a text where it is no JSON number that is read back exactly. */
function numberOrText(column: string, isExact: string): string {
  return `case when ${isExact} then ${column}::text else ${jsonOfText(column)} end`
}

/** A number that is no integer of 64 bits has a type already. */
function asBigint(operand: string): string {
  return operand.endsWith('::double precision') ? operand : `${operand}::bigint`
}

/** A number that JavaScript cannot hold exactly stays a text. */
function exactInteger(raw: unknown): unknown {
  const value = Number(raw)
  return Number.isSafeInteger(value) ? value : raw
}

function isNotFinite(column: string): string {
  return `(${column} in ('NaN', 'Infinity', '-Infinity'))`
}

/** JSON has no `NaN` and no infinity. */
function finiteNumber(raw: unknown): unknown {
  const value = Number(raw)
  return Number.isFinite(value) ? value : null
}
