import type { ColumnCodecs } from '../tables/column-type.ts'
import { dateCodec, instantCodec } from './date-codecs.ts'
import { jsonbCodec } from './json-codecs.ts'
import { decimalCodec, integerCodec, numberCodec } from './number-codecs.ts'
import { asText, textCodec } from './text-codecs.ts'
import { uuidCodec } from './uuid-codecs.ts'

/** How tables of the store keep the values of fields. All values of rows arrive as text. */
export const postgresCodecs: ColumnCodecs = Object.freeze({
  text: textCodec,
  date: dateCodec,
  uuid: uuidCodec,
  instant: instantCodec,
  decimal: decimalCodec,
  integer: integerCodec,
  number: numberCodec,
  boolean: {
    ...textCodec,
    sql: 'boolean',
    form: { ...textCodec.form, text: asText },
    // `true` and `false`, while the server writes a value itself as `t` and `f`.
    json: asText,
    rawForm: 'other',
    decode: (raw: unknown) => raw === 't',
  },
  id: textCodec,
  json: jsonbCodec,
  texts: jsonbCodec,
} satisfies ColumnCodecs)
