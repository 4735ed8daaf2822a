import type { ValueType } from '../../model/value-type.ts'
import type { ColumnCodec } from './column-type.ts'
import { jsonInMemberOrder } from './json-in-member-order.ts'
import { jsonRewriter } from './json-rewriter.ts'
import { isPlainInteger, isPlainNumber } from './plain-number.ts'

/**
 * Writes raw values of a column as JSON: the value that `decode` returns, or the raw text itself
 * where that is the same.
 */
export function columnWriter(codec: ColumnCodec, type: ValueType): (raw: unknown) => string {
  const writeValue = jsonInMemberOrder(type)
  const writeDecoded = (raw: unknown) => writeValue(codec.decode(raw))
  const writeText = textWriter(codec, type)
  return writeText ? (raw) => writeText(raw as string) ?? writeDecoded(raw) : writeDecoded
}

/** The JSON of raw texts that need no decoding; undefined for others. */
function textWriter(
  { rawForm }: ColumnCodec,
  type: ValueType,
): ((raw: string) => string | undefined) | undefined {
  switch (rawForm) {
    case 'integer':
      return (raw) => (isPlainInteger(raw) ? raw : undefined)
    case 'number':
      return (raw) => (isPlainNumber(raw) ? raw : undefined)
    case 'json':
      return jsonRewriter(type)
    case 'other':
      return undefined
  }
}
