import type { ValueType } from '../../model/value-type.ts'
import type { ColumnCodec } from './column-type.ts'
import { jsonInMemberOrder } from './json-in-member-order.ts'
import { jsonRewriters } from './json-rewriter.ts'
import { plainInteger, plainNumber } from './plain-number.ts'

/**
 * Writes raw values of a column as JSON: the value that `decode` returns, or the raw text itself
 * where that is the same.
 */
export function columnWriter(codec: ColumnCodec, type: ValueType): (raw: unknown) => string {
  const writeValue = jsonInMemberOrder(type)
  const writeDecoded = (raw: unknown) => writeValue(codec.decode(raw))
  switch (codec.rawForm) {
    case 'text':
      return JSON.stringify
    case 'integer':
      return (raw) => (plainInteger.test(raw as string) ? (raw as string) : writeDecoded(raw))
    case 'number':
      return (raw) => (plainNumber.test(raw as string) ? (raw as string) : writeDecoded(raw))
    case 'json': {
      const { flat, nested } = jsonRewriters(type)
      return (raw) => flat?.(raw as string) ?? nested(raw as string) ?? writeDecoded(raw)
    }
    case 'other':
      return writeDecoded
  }
}
