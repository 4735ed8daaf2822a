import type { ModelStorage } from '../../model/storage.ts'
import type { ColumnCodec } from './column-type.ts'
import type { ColumnSchema } from './schema/database-schema.ts'

/** Collations that sort by code point. */
const codePointCollations: ReadonlySet<string | undefined> = new Set([
  'C',
  'POSIX',
  'ucs_basic',
  'BINARY',
])

/**
 * The codec of a text column, in the order of the model. A text that differs from the id of an item
 * names no item, whatever the collation is.
 */
export function codecInOrder(
  codec: ColumnCodec,
  { collation, equality }: ColumnSchema,
  order: ModelStorage['order'],
  isId: boolean,
): ColumnCodec {
  const { codePoints, form } = codec
  if (!codePoints) return codec
  if (equality === 'loose' && (isId || order === 'codePoint'))
    return { ...codec, form: { ...form, value: (column) => codePoints(form.value(column)) } }
  if (order === 'database' || isCodePointOrder(collation)) return codec
  return { ...codec, form: { ...form, ordered: (values) => values.map(codePoints) } }
}

/** Does text with this collation sort by code point? */
export function isCodePointOrder(collation: string | undefined): boolean {
  return codePointCollations.has(collation)
}
