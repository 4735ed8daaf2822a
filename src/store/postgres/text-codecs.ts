import type { ColumnCodec } from '../tables/column-type.ts'
import { unstorable } from '../tables/comparable-condition.ts'
import { codePointOrder } from './code-point-order.ts'

export const textCodec: ColumnCodec = {
  sql: `text ${codePointOrder}`,
  form: {
    kind: 'native',
    value: (column) => column,
    operand: (value) => value,
    text: (column) => column,
    lossless: jsonOf,
  },
  select: (column) => column,
  json: jsonOf,
  encode: (value) => value,
  rawForm: 'text',
  decode: (raw) => raw,
  canonical: (value) => (unstorable.test(value) ? undefined : value),
}

/** Text of a column that may have any collation. */
export const collatedTextCodec: ColumnCodec = {
  ...textCodec,
  form: { ...textCodec.form, text: inCodePointOrder },
  codePoints: inCodePointOrder,
}

/** A column of a fixed length: spaces at the end of a value mean nothing. */
export const fixedLengthIdCodec: ColumnCodec = {
  ...textCodec,
  form: textForm(asText, (value) => `${value}::bpchar`),
  codePoints: inCodePointOrder,
  select: asText,
  json: jsonOfText,
  canonical: (value) => (value.endsWith(' ') ? undefined : textCodec.canonical(value)),
}

/** The values of any type, as PostgreSQL writes them. They compare as texts. */
export const writtenTextCodec: ColumnCodec = {
  ...textCodec,
  form: { ...textCodec.form, value: (column) => `(${column}::text ${codePointOrder})` },
  select: asText,
  json: jsonOfText,
}

/** A type whose values have one form as text, in which they are read. */
export function codecOfTexts(
  sql: string,
  select: ColumnCodec['select'],
  canonical: ColumnCodec['canonical'],
): ColumnCodec {
  return {
    ...textCodec,
    sql,
    form: {
      ...textCodec.form,
      operand: (value) => `${value}::${sql}`,
      text: select,
      lossless: jsonOfText,
    },
    select,
    json: (column) => jsonOfText(select(column)),
    canonical,
  }
}

/** The form of values that clients see as texts. */
export function textForm(
  toText: (column: string) => string,
  operand: (value: string) => string,
): ColumnCodec['form'] {
  return { ...textCodec.form, operand, text: toText, lossless: (column) => jsonOf(toText(column)) }
}

export function asText(column: string): string {
  return `${column}::text`
}

/** The JSON of a value that is written as a text. */
export function jsonOfText(value: string): string {
  return jsonOf(asText(value))
}

/** The JSON of a text. */
export function jsonOf(value: string): string {
  return `to_json(${value})::text`
}

function inCodePointOrder(text: string): string {
  return `(${text} ${codePointOrder})`
}
