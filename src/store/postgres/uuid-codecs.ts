import type { ColumnCodec } from '../tables/column-type.ts'
import { asText, codecOfTexts, jsonOfText, textCodec, textForm } from './text-codecs.ts'

export const uuidCodec: ColumnCodec = codecOfTexts('uuid', asText, (value) =>
  uuidPattern.test(value) ? value.toLowerCase() : undefined,
)

/** Ids are exact: those of a column of UUIDs are in lower case. */
export const uuidIdCodec: ColumnCodec = {
  ...textCodec,
  sql: 'uuid',
  form: textForm(asText, (value) => `${value}::uuid`),
  json: jsonOfText,
  canonical: (value) =>
    uuidPattern.test(value) && value === value.toLowerCase() ? value : undefined,
}

const uuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
