import type { DecimalDigits } from '../../model/value-type.ts'
import { canonicalInstantKey, canonicalInteger } from '../tables/canonical-texts.ts'
import type { ColumnCodec, ColumnCodecs } from '../tables/column-type.ts'
import { unstorable } from '../tables/comparable-condition.ts'
import { codePointOrder } from './code-point-order.ts'

const jsonOf = (value: string) => `to_json(${value})::text`

const text: ColumnCodec = {
  sql: `text ${codePointOrder}`,
  form: {
    kind: 'native',
    value: (column) => column,
    operand: (value) => value,
    text: (column) => column,
    lossless: jsonOf,
  },
  select: (column) => column,
  encode: (value) => value,
  rawForm: 'other',
  decode: (raw) => raw,
  canonical: (value) => (unstorable.test(value) ? undefined : value),
}

const json: ColumnCodec = {
  ...text,
  sql: 'jsonb',
  select: (column) => `${column}::text`,
  encode: (value) => JSON.stringify(value),
  rawForm: 'json',
  decode: (raw) => JSON.parse(raw as string),
}

const maxSafe = Number.MAX_SAFE_INTEGER

/** A number as JSON: a text where it is no JSON number that is read back exactly. */
function numberOrText(column: string, isExact: string): string {
  return `case when ${isExact} then ${column}::text else ${jsonOf(`${column}::text`)} end`
}

/** A type whose values have one form as text, in which they are read. */
function formatted(
  sql: string,
  select: ColumnCodec['select'],
  canonical: ColumnCodec['canonical'],
): ColumnCodec {
  return {
    ...text,
    sql,
    form: {
      ...text.form,
      operand: (value) => `${value}::${sql}`,
      text: select,
      lossless: (column) => jsonOf(`${column}::text`),
    },
    select,
    canonical,
  }
}

/** In UTC, without zeros at the end. Columns are read in a cheaper form (`instantOfLocalTime`). */
const utc = (column: string) =>
  `regexp_replace(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '\\.?0*Z$', 'Z')`

/**
 * A date of a codec whose values have years of four digits; clients see others as null.
 *
 * @param written the column in a type that the server writes as `decode` reads it
 */
function withinYears(codec: ColumnCodec, written: (column: string) => string): ColumnCodec {
  const isUnshown = (column: string) => `(${column} < '0001-01-01' or ${column} >= '10000-01-01')`
  const shown = (sql: ColumnCodec['select']) => (column: string) =>
    `case when not ${isUnshown(column)} then ${sql(column)} end`
  const form = { ...codec.form, text: shown(codec.select), isUnshown }
  return { ...codec, form, select: shown(written) }
}

/** The instant of a time in UTC, `2024-05-01 12:00:00`. */
function instantOfLocalTime(raw: unknown): string {
  return `${(raw as string).replace(' ', 'T')}Z`
}

/** Types of values in tables. All values of rows arrive as text. */
export const postgresCodecs: ColumnCodecs = Object.freeze({
  text,
  // The style of dates of a connection is that of ISO 8601.
  date: withinYears(formatted('date', dateText, canonicalDate), (column) => column),
  uuid: formatted(
    'uuid',
    (column) => `${column}::text`,
    (value) => (uuidPattern.test(value) ? value.toLowerCase() : undefined),
  ),
  instant: {
    ...withinYears(
      formatted('timestamptz', utc, canonicalInstant),
      (column) => `${column} at time zone 'UTC'`,
    ),
    encode: (value: unknown) => canonicalInstant(value as string) ?? value,
    decode: instantOfLocalTime,
  },
  decimal: {
    ...text,
    sql: 'numeric',
    sized: ({ precision, scale }: DecimalDigits) => `numeric(${precision},${scale})`,
    form: textual(
      (column) => `${column}::text`,
      (value) => `${value}::numeric`,
    ),
    select: (column: string) => `${column}::text`,
    canonical: decimalOrNone,
  },
  integer: {
    ...text,
    sql: 'bigint',
    form: {
      ...text.form,
      text: (column: string) => `${column}::text`,
      // JSON numbers lose the digits of larger integers.
      lossless: (column: string) =>
        numberOrText(column, `${column} between ${-maxSafe} and ${maxSafe}`),
    },
    rawForm: 'integer',
    decode: exactInteger,
  },
  number: {
    ...text,
    sql: 'double precision',
    form: {
      ...text.form,
      text: (column: string) => `${column}::text`,
      // JSON has no `NaN` and no infinity, by which rows are sorted all the same.
      lossless: (column: string) => numberOrText(column, `not ${isNotFinite(column)}`),
      isUnshown: isNotFinite,
    },
    rawForm: 'number',
    decode: finiteNumber,
  },
  boolean: {
    ...text,
    sql: 'boolean',
    form: { ...text.form, text: (column: string) => `${column}::text` },
    decode: (raw: unknown) => raw === 't',
  },
  id: text,
  json,
  texts: json,
} satisfies ColumnCodecs)

/** Columns that hold smaller integers compare with larger ones too. */
export const smallIntegerCodec: ColumnCodec = {
  ...postgresCodecs.integer,
  form: { ...postgresCodecs.integer.form, operand: asBigint },
}

/** Ids are texts. Those of a column of integers are the texts of its numbers. */
export const integerIdCodec: ColumnCodec = {
  ...text,
  sql: 'bigint',
  form: textual((column) => `${column}::text`, asBigint),
  canonical: canonicalInteger,
}

export const uuidIdCodec: ColumnCodec = {
  ...text,
  sql: 'uuid',
  form: textual(
    (column) => `${column}::text`,
    (value) => `${value}::uuid`,
  ),
  canonical: (value) =>
    uuidPattern.test(value) && value === value.toLowerCase() ? value : undefined,
}

/** A number that is no integer of 64 bits has a type already. */
function asBigint(operand: string): string {
  return operand.endsWith('::double precision') ? operand : `${operand}::bigint`
}

function textual(
  toText: (column: string) => string,
  operand: (value: string) => string,
): ColumnCodec['form'] {
  return { ...text.form, operand, text: toText, lossless: (column) => jsonOf(toText(column)) }
}

export const dateIdCodec: ColumnCodec = {
  ...postgresCodecs.date,
  form: textual(dateText, (value) => `${value}::date`),
  select: dateText,
}

/** A column of a fixed length: spaces at the end of a value mean nothing. */
export const fixedLengthIdCodec: ColumnCodec = {
  ...text,
  form: textual(
    (column) => `${column}::text`,
    (value) => `${value}::bpchar`,
  ),
  codePoints: inCodePointOrder,
  select: (column) => `${column}::text`,
  canonical: (value) => (value.endsWith(' ') ? undefined : text.canonical(value)),
}

/** Text of a column that may have any collation. */
export const collatedTextCodec: ColumnCodec = {
  ...text,
  form: { ...text.form, text: inCodePointOrder },
  codePoints: inCodePointOrder,
}

function inCodePointOrder(text: string): string {
  return `(${text} ${codePointOrder})`
}

/** The values of any type, as PostgreSQL writes them. They compare as texts. */
export const writtenTextCodec: ColumnCodec = {
  ...text,
  form: { ...text.form, value: (column) => `(${column}::text ${codePointOrder})` },
  select: (column) => `${column}::text`,
}

/** Numbers with all of their digits, as text. */
export const decimalTextCodec: ColumnCodec = {
  ...text,
  form: textual(
    (column) => `${column}::text`,
    (value) => `${value}::numeric`,
  ),
  canonical: decimalOrNone,
}

function decimalOrNone(value: string): string | undefined {
  return decimalPattern.test(value) ? value : undefined
}

const decimalPattern = /^-?\d{1,1000}(?:\.\d{1,1000})?$/

/** A decimal number that JavaScript reads as the nearest number it has. */
export const decimalCodec: ColumnCodec = {
  ...postgresCodecs.number,
  form: {
    ...decimalTextCodec.form,
    isUnshown: isNotFinite,
    // Through text, because a cast of a double keeps fifteen digits only.
    operand: (value) =>
      value.endsWith('::double precision') ? `${value}::text::numeric` : `${value}::numeric`,
  },
}

/** Numbers of single precision compare as those that clients see. */
export const singleCodec: ColumnCodec = {
  ...postgresCodecs.number,
  form: {
    ...postgresCodecs.number.form,
    value: (column) => `(${column}::text::double precision)`,
    operand: (value) =>
      value.endsWith('::double precision') ? value : `${value}::double precision`,
  },
}

/** Integers of a field that may have other numbers too. */
export const integerNumberCodec: ColumnCodec = { ...smallIntegerCodec, decode: finiteNumber }

/** A time without a zone, which is that of UTC. */
export const localInstantCodec: ColumnCodec = {
  ...withinYears(formatted('timestamp', localUtc, canonicalInstant), (column) => column),
  encode: postgresCodecs.instant.encode,
  decode: instantOfLocalTime,
}

function localUtc(column: string): string {
  return utc(`(${column} at time zone 'UTC')`)
}

export const plainJsonCodec: ColumnCodec = {
  ...postgresCodecs.json,
  document: (column) => `${column}::jsonb`,
}

/** Ids are instants in UTC, as they are read. */
export const instantIdCodec: ColumnCodec = {
  ...postgresCodecs.instant,
  form: textual(utc, (value) => `${value}::timestamptz`),
  select: utc,
  decode: text.decode,
  canonical: canonicalInstantId,
}

export const localInstantIdCodec: ColumnCodec = {
  ...localInstantCodec,
  form: textual(localUtc, (value) => `${value}::timestamp`),
  select: localUtc,
  decode: text.decode,
  canonical: canonicalInstantId,
}

/** PostgreSQL keeps microseconds. */
function canonicalInstantId(value: string): string | undefined {
  return canonicalInstant(value) === value && !/\.\d{7}/.test(value) ? value : undefined
}

/** An array of the database. */
export const arrayCodec: ColumnCodec = {
  ...postgresCodecs.json,
  select: (column) => `to_jsonb(${column})::text`,
  document: (column) => `to_jsonb(${column})`,
  encode: arrayText,
}

/** Numbers with all of their digits, as texts. */
export const numberTextArrayCodec: ColumnCodec = {
  ...arrayCodec,
  select: (column) => `to_jsonb(${column}::text[])::text`,
  document: (column) => `to_jsonb(${column}::text[])`,
}

/** An integer that JavaScript cannot hold exactly is read as a text. */
export const integerArrayCodec: ColumnCodec = {
  ...arrayCodec,
  rawForm: 'other',
  decode: (raw) =>
    JSON.parse(
      (raw as string).replace(/-?\d{16,}/g, (digits) =>
        Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`,
      ),
    ),
}

/** An array as PostgreSQL reads it. */
function arrayText(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(arrayText).join(',')}}`
  if (value === null || value === undefined) return 'NULL'
  const written = typeof value === 'object' ? JSON.stringify(value) : String(value)
  return `"${written.replace(/["\\]/g, '\\$&')}"`
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function canonicalDate(value: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value) || value.startsWith('0000')) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}

/** In UTC. PostgreSQL has no year 0. */
function canonicalInstant(value: string): string | undefined {
  const key = canonicalInstantKey(value)
  return key === undefined || key.startsWith('0000') ? undefined : `${key}Z`
}

/** A number that JavaScript cannot hold exactly stays a text. */
function exactInteger(raw: unknown): unknown {
  const value = Number(raw)
  return Number.isSafeInteger(value) ? value : raw
}

function dateText(column: string): string {
  return `to_char(${column}, 'YYYY-MM-DD')`
}

function isNotFinite(column: string): string {
  return `(${column} in ('NaN', 'Infinity', '-Infinity'))`
}

/** JSON has no `NaN` and no infinity. */
function finiteNumber(raw: unknown): unknown {
  const value = Number(raw)
  return Number.isFinite(value) ? value : null
}
