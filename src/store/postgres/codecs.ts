import { toInstantKey } from '../../query/instant.ts'
import type { ColumnCodec, ColumnCodecs } from '../tables/column-type.ts'
import { unstorable } from '../tables/comparable-condition.ts'
import { codePointOrder } from './dialect.ts'

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
  decode: (raw) => raw,
  canonical: (value) => (unstorable.test(value) ? undefined : value),
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
      lossless: (column) => jsonOf(select(column)),
    },
    select,
    canonical,
  }
}

/** In UTC, without zeros at the end. */
const utc = (column: string) =>
  `regexp_replace(to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'), '\\.?0*Z$', 'Z')`

/** Types of values in tables. All values of rows arrive as text. */
export const postgresCodecs: ColumnCodecs = Object.freeze({
  text,
  date: formatted('date', (column) => `to_char(${column}, 'YYYY-MM-DD')`, canonicalDate),
  uuid: formatted(
    'uuid',
    (column) => `${column}::text`,
    (value) => (uuidPattern.test(value) ? value.toLowerCase() : undefined),
  ),
  instant: {
    ...formatted('timestamptz', utc, canonicalInstant),
    encode: (value: unknown) => canonicalInstant(value as string) ?? value,
  },
  integer: {
    ...text,
    sql: 'bigint',
    form: {
      ...text.form,
      text: (column: string) => `${column}::text`,
      lossless: (column: string) => column,
    },
    decode: exactInteger,
  },
  number: {
    ...text,
    sql: 'double precision',
    form: {
      ...text.form,
      text: (column: string) => `${column}::text`,
      lossless: (column: string) => column,
    },
    decode: finiteNumber,
  },
  boolean: {
    ...text,
    sql: 'boolean',
    form: { ...text.form, text: (column: string) => `${column}::text` },
    decode: (raw: unknown) => raw === 't',
  },
  id: text,
  json: {
    ...text,
    sql: 'jsonb',
    select: (column: string) => `${column}::text`,
    encode: (value: unknown) => JSON.stringify(value),
    decode: (raw: unknown) => JSON.parse(raw as string),
  },
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
  canonical: (value) =>
    /^(?:0|-?[1-9]\d*)$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value)
      ? value
      : undefined,
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

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

function canonicalDate(value: string): string | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value) || value.startsWith('0000')) return undefined
  const date = new Date(`${value}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(value) ? value : undefined
}

/** In UTC. PostgreSQL has no year 0. */
function canonicalInstant(value: string): string | undefined {
  const key = toInstantKey(value)
  return instantKeyPattern.test(key) && !key.startsWith('0000') ? `${key}Z` : undefined
}

const instantKeyPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?$/

/** A number that JavaScript cannot hold exactly stays a text. */
function exactInteger(raw: unknown): unknown {
  const value = Number(raw)
  return Number.isSafeInteger(value) ? value : raw
}

/** JSON has no `NaN` and no infinity. */
function finiteNumber(raw: unknown): unknown {
  const value = Number(raw)
  return Number.isFinite(value) ? value : null
}
