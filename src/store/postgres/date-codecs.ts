import { canonicalInstantKey } from '../tables/canonical-texts.ts'
import type { ColumnCodec } from '../tables/column-type.ts'
import { codecOfTexts, jsonOf, textCodec, textForm } from './text-codecs.ts'

/** The style of dates of a connection is that of ISO 8601. */
export const dateCodec: ColumnCodec = withinYears(
  codecOfTexts('date', dateText, canonicalDate),
  (column) => column,
  // A date has no characters that JSON escapes.
  (column) => `'"' || ${column}::text || '"'`,
)

export const dateIdCodec: ColumnCodec = {
  ...dateCodec,
  form: textForm(dateText, (value) => `${value}::date`),
  select: dateText,
  json: (column) => jsonOf(dateText(column)),
}

export const instantCodec: ColumnCodec = {
  ...withinYears(
    codecOfTexts('timestamptz', utc, canonicalInstant),
    (column) => `${column} at time zone 'UTC'`,
    jsonOfLocalTime,
  ),
  encode: encodeInstant,
  rawForm: 'other',
  decode: instantOfLocalTime,
}

/** Ids are instants in UTC, as they are read. */
export const instantIdCodec: ColumnCodec = {
  ...instantCodec,
  form: textForm(utc, (value) => `${value}::timestamptz`),
  select: utc,
  json: (column) => jsonOf(utc(column)),
  rawForm: textCodec.rawForm,
  decode: textCodec.decode,
  canonical: canonicalInstantId,
}

const localTimes: ColumnCodec = withinYears(
  codecOfTexts('timestamp', localUtc, canonicalInstant),
  (column) => column,
  jsonOfLocalTime,
)

/** A time without a zone, which is that of UTC. */
export const localInstantCodec: ColumnCodec = {
  ...localTimes,
  form: { ...localTimes.form, instant: (value) => `(${value} at time zone 'UTC')` },
  encode: encodeInstant,
  rawForm: 'other',
  decode: instantOfLocalTime,
}

export const localInstantIdCodec: ColumnCodec = {
  ...localInstantCodec,
  form: textForm(localUtc, (value) => `${value}::timestamp`),
  select: localUtc,
  json: (column) => jsonOf(localUtc(column)),
  rawForm: textCodec.rawForm,
  decode: textCodec.decode,
  canonical: canonicalInstantId,
}

/**
 * A date of a codec whose values have years of four digits; clients see others as null.
 *
 * @param written the column in a type that the server writes as `decode` reads it
 * @param json of what is written
 */
function withinYears(
  codec: ColumnCodec,
  written: (column: string) => string,
  json: (written: string) => string,
): ColumnCodec {
  const isUnshown = (column: string) => `(${column} < '0001-01-01' or ${column} >= '10000-01-01')`
  const shown = (sql: ColumnCodec['select']) => (column: string) =>
    `case when not ${isUnshown(column)} then ${sql(column)} end`
  const form = { ...codec.form, text: shown(codec.select), isUnshown }
  return {
    ...codec,
    form,
    select: shown(written),
    json: shown((column) => json(written(column))),
  }
}

/** In UTC, without zeros at the end. Columns are read in a cheaper form (`instantOfLocalTime`). */
function utc(column: string): string {
  return `regexp_replace(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '\\.?0*Z$', 'Z')`
}

function localUtc(column: string): string {
  return utc(`(${column} at time zone 'UTC')`)
}

function dateText(column: string): string {
  return `to_char(${column}, 'YYYY-MM-DD')`
}

/** The instant of a time in UTC, `2024-05-01 12:00:00`. */
function instantOfLocalTime(raw: unknown): string {
  return `${(raw as string).replace(' ', 'T')}Z`
}

/** The same as JSON. */
function jsonOfLocalTime(written: string): string {
  return `'"' || replace((${written})::text, ' ', 'T') || 'Z"'`
}

function encodeInstant(value: unknown): unknown {
  return canonicalInstant(value as string) ?? value
}

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

/** PostgreSQL keeps microseconds. */
function canonicalInstantId(value: string): string | undefined {
  return canonicalInstant(value) === value && !/\.\d{7}/.test(value) ? value : undefined
}
