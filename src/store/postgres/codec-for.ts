import type { ColumnCodec, ColumnType } from '../tables/column-type.ts'
import { type DatabaseType, withoutDomains } from '../tables/schema/database-type.ts'
import {
  arrayCodec,
  collatedTextCodec,
  dateIdCodec,
  decimalCodec,
  decimalTextCodec,
  fixedLengthIdCodec,
  instantIdCodec,
  integerArrayCodec,
  integerIdCodec,
  integerNumberCodec,
  localInstantCodec,
  localInstantIdCodec,
  numberTextArrayCodec,
  plainJsonCodec,
  postgresCodecs,
  singleCodec,
  smallIntegerCodec,
  uuidIdCodec,
  writtenTextCodec,
} from './codecs.ts'

const { date, uuid, instant, decimal, integer, number, boolean, json } = postgresCodecs

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
    date,
    uuid,
  },
  date: { date, text: collatedTextCodec, 'character varying': collatedTextCodec },
  instant: {
    'timestamp with time zone': instant,
    'timestamp without time zone': localInstantCodec,
  },
  uuid: { uuid, text: collatedTextCodec, 'character varying': collatedTextCodec },
  decimal: { numeric: decimal },
  integer: {
    bigint: integer,
    integer: smallIntegerCodec,
    smallint: smallIntegerCodec,
    numeric: { ...decimalCodec, rawForm: 'integer', decode: integer.decode },
  },
  number: {
    'double precision': number,
    real: singleCodec,
    numeric: decimalCodec,
    bigint: integerNumberCodec,
    integer: integerNumberCodec,
    smallint: integerNumberCodec,
  },
  boolean: { boolean },
  json: { jsonb: json, json: plainJsonCodec },
  texts: { jsonb: json, json: plainJsonCodec },
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
