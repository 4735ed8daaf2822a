import {
  canonicalDecimalKey,
  canonicalInstantKey,
  canonicalInteger,
} from '../../tables/canonical-texts.ts'
import type { ColumnCodec, ColumnCodecs } from '../../tables/column-type.ts'
import { unstorable } from '../../tables/comparable-condition.ts'
import { dayNumberSql } from '../date-part-sql.ts'
import { decimalSql } from '../decimal-sql.ts'
import { sqliteDialect } from '../dialect.ts'
import { instantRange, localInstantRange } from '../instant-range.ts'
import { instantSql } from '../instant-sql.ts'
import { losslessSql, losslessTextSql, positionSql, shownJsonSql } from './position-sql.ts'

/** The driver cannot read integers beyond 2^53, so those are read as text. */
const isSafe = (value: string) =>
  `${value} between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`

const plainForm: ColumnCodec['form'] = {
  kind: 'native',
  value: (column) => column,
  operand: (value) => value,
  text: (value) => value,
  lossless: losslessSql,
  json: shownJsonSql,
  position: positionSql,
  // The least number: texts and BLOBs sort after numbers.
  isPresent: (value) => `${value} >= -9e999`,
}

/** JSON cannot hold a BLOB, which any column of SQLite may have. BLOBs sort after all else. */
const isBlob = (value: string) => `(${value} >= x'')`

const text: ColumnCodec = {
  sql: 'text',
  form: { ...plainForm, isUnshown: isBlob },
  select: (column) => column,
  encode: (value) => value,
  rawForm: 'other',
  decode: (raw) => (typeof raw === 'number' ? String(raw) : scalarOf(raw)),
  canonical: (value) => (unstorable.test(value) ? undefined : value),
}

/** Text of a column that may have any collation. */
export const collatedTextCodec: ColumnCodec = {
  ...text,
  codePoints: (value) => `(${value} collate binary)`,
}

/** For columns that refuse values of other types: indexes have their values as they are. */
export function withoutBlobs(codec: ColumnCodec): ColumnCodec {
  const { form } = codec
  if (form.kind !== 'native' || form.isUnshown !== isBlob) return codec
  const { isUnshown: _, ...shown } = form
  return { ...codec, form: shown }
}

const json: ColumnCodec = {
  ...text,
  select: (column) => `cast(${column} as text)`,
  encode: (value) => JSON.stringify(value),
  decode: jsonOf,
}

/**
 * How values are kept in SQLite. A column may have values of any type, because other programs write
 * them too: each of them is read as something that JSON can hold.
 */
export const sqliteCodecs: ColumnCodecs = Object.freeze({
  text,
  date: text,
  uuid: text,
  instant: {
    ...text,
    form: {
      ...text.form,
      value: instantOfAnyForm,
      beginsWithDay: (column) =>
        `(not ${isBlob(column)} and (${isCommonForm(column)} or strftime('%Y-%m-%dT%H:%M:%SZ', ${column}) = ${column}))`,
      dayNumber: (column) =>
        `iif(not ${isBlob(column)} and ${isUtc(column)}, ${dayNumberSql(column)}, null)`,
      columnRange: instantRange,
      text: (value) => `iif(${value} glob '????-??-??T*', ${value} || 'Z', ${value})`,
      lossless: losslessTextSql,
    },
    encode: (value) => inUtc(value as string),
    decode: (raw) => (typeof raw === 'string' ? withT(raw) : text.decode(raw)),
    canonical: canonicalInstantKey,
  },
  // A column of numbers would keep the nearest double.
  decimal: {
    ...text,
    form: { ...text.form, value: decimalSql, lossless: losslessTextSql },
    canonical: canonicalDecimalKey,
  },
  integer: {
    ...text,
    sql: 'integer',
    select: (column) => `iif(${isSafe(column)}, ${column}, ${notBlob(column)})`,
    encode: exactNumber,
    decode: scalarOf,
  },
  number: {
    ...text,
    sql: 'real',
    form: {
      ...plainForm,
      // Texts and BLOBs sort after numbers.
      isUnshown: (value) => `(${value} >= '' or ${value} in (9e999, -9e999))`,
    },
    select: (column) =>
      `iif(typeof(${column}) in ('integer', 'real'), cast(${column} as real), null)`,
    encode: exactNumber,
    decode: (raw) => (Number.isFinite(raw) ? raw : null),
  },
  boolean: {
    ...text,
    sql: 'integer',
    form: {
      kind: 'native',
      // Any other number than 0 is true.
      value: (column) => `(${column} <> 0)`,
      operand: plainForm.operand,
      text: plainForm.text,
      lossless: (value) => `iif(${value} is null, null, iif(${value}, 'true', 'false'))`,
    },
    select: (column) => `iif(${column} is null, null, iif(${column}, 1, 0))`,
    encode: Number,
    decode: (raw) => raw === 1,
  },
  id: text,
  json,
  texts: json,
} satisfies ColumnCodecs)

/**
 * Date-times as the functions of SQLite write them: `2024-05-01 12:00:00`, without a zone, which is
 * that of UTC. They compare as texts with a `T` between date and time, and without a `Z` at the
 * end.
 */
export const localInstantCodec: ColumnCodec = {
  ...sqliteCodecs.instant,
  form: {
    ...sqliteCodecs.instant.form,
    value: localKey,
    beginsWithDay: undefined,
    dayNumber: undefined,
    lossless: losslessSql,
    columnRange: localInstantRange,
  },
  select: notBlob,
  encode: (value) =>
    inUtc(value as string)
      .replace('T', ' ')
      .replace(/Z$/, ''),
  decode: (raw) => (typeof raw === 'string' ? inUtc(withoutSpace(raw)) : text.decode(raw)),
}

function withT(value: string): string {
  const key = canonicalInstantKey(value.replace(' ', 'T'))
  return key === undefined ? value : `${key}Z`
}

/**
 * Other programs write date-times as the functions of SQLite do too. The form that the store writes
 * comes first, on a day that every month has: it takes a third of the time.
 */
function instantOfAnyForm(column: string): string {
  const replaced = `(substr(${column}, 1, 10) || 'T' || substr(${column}, 12))`
  return `iif(${isCommonForm(column)}, substr(${column}, 1, 19), iif(${column} glob '????-??-?? *', ${instantSql(replaced)}, ${instantSql(column)}))`
}

/** Has it the form of date-times that the store and JavaScript write? Its day may not exist. */
function isUtc(column: string): string {
  return `(${column} glob '????-??-??T??:??:??Z' or ${column} glob '????-??-??T??:??:??.[0-9][0-9][0-9]Z')`
}

function isCommonForm(column: string): string {
  return (
    `${column} glob '????-??-??T??:??:??Z' and substr(${column}, 9, 2) < '29' and ` +
    `substr(${column}, 12, 2) < '24' and julianday(${column}) is not null`
  )
}

/** Numbers and BLOBs of other programs compare as they are. */
function localKey(column: string): string {
  const spaced = `iif(${column} glob '????-??-?? *', substr(${column}, 1, 10) || 'T' || substr(${column}, 12), ${column})`
  const key = `iif(${column} glob '*Z', substr(${spaced}, 1, length(${column}) - 1), ${spaced})`
  return `iif(typeof(${column}) <> 'text', ${column}, iif(instr(${column}, '.'), rtrim(rtrim(${key}, '0'), '.'), ${key}))`
}

function withoutSpace(value: string): string {
  const instant = value.replace(' ', 'T')
  return /^\d{4}-\d{2}-\d{2}$/.test(instant) ? `${instant}T00:00:00` : instant
}

/** Numbers are read as texts. The column makes numbers of the texts that compare with it. */
export const numericTextCodec: ColumnCodec = { ...text, select: notBlob }

/** A column without a type may have numbers, which are read as texts, and compare as such. */
export const untypedTextCodec: ColumnCodec = {
  ...numericTextCodec,
  form: {
    ...text.form,
    value: (column) => `iif(typeof(${column}) = 'blob', ${column}, cast(${column} as text))`,
  },
}

function notBlob(column: string): string {
  return `iif(typeof(${column}) = 'blob', null, cast(${column} as text))`
}

/** Ids are texts. Those of a column of integers are the texts of its numbers. */
export const integerIdCodec: ColumnCodec = {
  ...text,
  sql: 'integer',
  form: {
    kind: 'native',
    value: plainForm.value,
    operand: (value) => `cast(${value} as integer)`,
    text: (value) => `cast(${value} as text)`,
    lossless: (value) => `json_quote(cast(${value} as text))`,
  },
  select: (column) => `cast(${column} as text)`,
  canonical: canonicalInteger,
}

/** SQLite keeps whole numbers as integers, and fractions too, whatever scale is declared. */
export const numericIdCodec: ColumnCodec = {
  ...integerIdCodec,
  isId: (column) => `typeof(${column}) = 'integer'`,
}

function scalarOf(raw: unknown): unknown {
  return typeof raw === 'string' || Number.isFinite(raw) ? raw : null
}

/** The driver takes numbers near zero for zero. A column of numbers reads a text as a number. */
function exactNumber(value: unknown): unknown {
  return sqliteDialect.binder.needsEscape(value as number) ? String(value) : value
}

/** Other programs may write something else than a date-time. */
function inUtc(value: string): string {
  const key = canonicalInstantKey(value)
  return key === undefined ? value : `${key}Z`
}

/** Other programs may write something else than JSON. */
function jsonOf(raw: unknown): unknown {
  try {
    return JSON.parse(raw as string)
  } catch {
    return null
  }
}
