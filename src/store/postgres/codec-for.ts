import type { ColumnCodec, ColumnType } from '../tables/column-type.ts'
import { type DatabaseType, withoutDomains } from '../tables/schema/database-type.ts'
import { postgresCodecs } from './codecs.ts'
import {
  dateCodec,
  dateIdCodec,
  instantCodec,
  instantIdCodec,
  localInstantCodec,
  localInstantIdCodec,
} from './date-codecs.ts'
import {
  arrayCodec,
  integerArrayCodec,
  jsonbCodec,
  numberTextArrayCodec,
  plainJsonCodec,
} from './json-codecs.ts'
import {
  decimalCodec,
  decimalTextCodec,
  integerCodec,
  integerIdCodec,
  integerNumberCodec,
  nearestNumberCodec,
  numberCodec,
  singleCodec,
  smallIntegerCodec,
  smallIntegerNumberCodec,
} from './number-codecs.ts'
import { collatedTextCodec, fixedLengthIdCodec, writtenTextCodec } from './text-codecs.ts'
import { uuidCodec, uuidIdCodec } from './uuid-codecs.ts'

type Codecs = Readonly<Record<string, ColumnCodec>>

const integerTexts: Codecs = {
  bigint: integerIdCodec,
  integer: integerIdCodec,
  smallint: integerIdCodec,
}

/** The columns that can hold a type of fields, by the names of their types. */
const codecs: Readonly<Record<ColumnType, Codecs>> = {
  text: {
    ...integerTexts,
    text: collatedTextCodec,
    'character varying': collatedTextCodec,
    numeric: decimalTextCodec,
    date: dateCodec,
    uuid: uuidCodec,
  },
  date: { date: dateCodec, text: collatedTextCodec, 'character varying': collatedTextCodec },
  instant: {
    'timestamp with time zone': instantCodec,
    'timestamp without time zone': localInstantCodec,
  },
  uuid: { uuid: uuidCodec, text: collatedTextCodec, 'character varying': collatedTextCodec },
  decimal: { numeric: decimalCodec },
  integer: {
    bigint: integerCodec,
    integer: smallIntegerCodec,
    smallint: smallIntegerCodec,
    numeric: { ...nearestNumberCodec, rawForm: 'integer', decode: integerCodec.decode },
  },
  number: {
    'double precision': numberCodec,
    real: singleCodec,
    numeric: nearestNumberCodec,
    bigint: integerNumberCodec,
    integer: smallIntegerNumberCodec,
    smallint: smallIntegerNumberCodec,
  },
  boolean: { boolean: postgresCodecs.boolean },
  json: { jsonb: jsonbCodec, json: plainJsonCodec },
  texts: { jsonb: jsonbCodec, json: plainJsonCodec },
  id: {
    ...integerTexts,
    text: collatedTextCodec,
    'character varying': collatedTextCodec,
    character: fixedLengthIdCodec,
    uuid: uuidIdCodec,
    date: dateIdCodec,
    'timestamp with time zone': instantIdCodec,
    'timestamp without time zone': localInstantIdCodec,
  },
}

/** How a column keeps values of a type of fields; undefined if it cannot hold them. */
export function postgresCodecFor(
  type: ColumnType,
  databaseType: DatabaseType,
): ColumnCodec | undefined {
  const column = withoutDomains(databaseType)
  if (column.kind === 'array') return arrayCodecFor(type, column.items)
  const codec = column.kind === 'base' ? codecs[type][column.name] : undefined
  return codec ?? (type === 'text' && !hasBytes(column) ? writtenTextCodec : undefined)
}

/** @param items the type of the elements */
function arrayCodecFor(type: ColumnType, items: DatabaseType): ColumnCodec | undefined {
  if ((type !== 'json' && type !== 'texts') || hasBytes(items)) return undefined
  const item = withoutDomains(items)
  const name = item.kind === 'base' ? item.name : ''
  if (type === 'texts' && name in codecs.number) return numberTextArrayCodec
  return name === 'bigint' ? integerArrayCodec : arrayCodec
}

/** Bytes are no text. The bytes of a file field are in a blob store. */
function hasBytes(databaseType: DatabaseType): boolean {
  const type = withoutDomains(databaseType)
  if (type.kind === 'array') return hasBytes(type.items)
  return type.kind === 'base' && type.name === 'bytea'
}
