import type { ColumnCodec, ColumnType } from '../tables/column-type.ts'
import { type DatabaseType, withoutDomains } from '../tables/schema/database-type.ts'
import { integerIdCodec, postgresCodecs, smallIntegerCodec, uuidIdCodec } from './codecs.ts'

const { text, date, uuid, instant, integer, number, boolean, json, id } = postgresCodecs

/** The columns that can hold a type of fields, by the names of their types. */
const codecs: Readonly<Record<ColumnType, Readonly<Record<string, ColumnCodec>>>> = {
  text: { text, 'character varying': text, citext: text },
  date: { date, text, 'character varying': text },
  instant: { 'timestamp with time zone': instant },
  uuid: { uuid, text, 'character varying': text },
  integer: { bigint: integer, integer: smallIntegerCodec, smallint: smallIntegerCodec },
  number: { 'double precision': number },
  boolean: { boolean },
  json: { jsonb: json },
  id: {
    text: id,
    'character varying': id,
    bigint: integerIdCodec,
    integer: integerIdCodec,
    smallint: integerIdCodec,
    uuid: uuidIdCodec,
  },
}

/** How a column keeps values of a type of fields; undefined if it cannot hold them. */
export function postgresCodecFor(
  type: ColumnType,
  databaseType: DatabaseType,
): ColumnCodec | undefined {
  const column = withoutDomains(databaseType)
  return column.kind === 'base' ? codecs[type][column.name] : undefined
}
