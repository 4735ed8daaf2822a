import type { ColumnCodec } from '../tables/column-type.ts'
import { textCodec } from './text-codecs.ts'

export const jsonbCodec: ColumnCodec = {
  ...textCodec,
  sql: 'jsonb',
  select: (column) => `${column}::text`,
  // `jsonb` has spaces, and members in an order of its own.
  json: undefined,
  encode: (value) => JSON.stringify(value),
  rawForm: 'json',
  decode: (raw) => JSON.parse(raw as string),
}

/** A column of the type `json`. */
export const plainJsonCodec: ColumnCodec = {
  ...jsonbCodec,
  document: (column) => `${column}::jsonb`,
}

/** An array of the database. */
export const arrayCodec: ColumnCodec = {
  ...jsonbCodec,
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
