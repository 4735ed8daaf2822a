import { type CodedSchema, ownCodec } from './schema-codec.ts'
import type { Schema } from './standard-schema.ts'
import { readZodCodec } from './zod-codec.ts'

/**
 * The schema of the values as JSON, whatever form code sees.
 * @throws TypeError if its codec cannot be reversed; the message follows the name of the field
 */
export function readCodec(schema: Schema): CodedSchema {
  const codec = ownCodec(schema)
  return codec ? { schema, codec } : (readZodCodec(schema) ?? { schema, codec: undefined })
}
