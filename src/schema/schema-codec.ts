import type { Schema } from './standard-schema.ts'

/** Turns values of JSON into those that code sees, such as `Date`, and back. */
export interface SchemaCodec {
  /** The value for code. What the codec cannot read stays as it is. */
  decode(stored: unknown): unknown
  /** The value as JSON. What the codec cannot write stays as it is; its schema refuses it. */
  encode(value: unknown): unknown
}

/** A schema that reads and returns JSON, with its codec if code sees other values. */
export interface CodedSchema {
  readonly schema: Schema
  readonly codec: SchemaCodec | undefined
}

const codecs = new WeakMap<Schema, SchemaCodec>()

/** Says that code sees other values than the schema, which reads and returns JSON. */
export function withCodec<S extends Schema>(schema: S, codec: SchemaCodec | undefined): S {
  if (codec) codecs.set(schema, codec)
  return schema
}

/** The codec of a schema of this package. */
export function ownCodec(schema: Schema): SchemaCodec | undefined {
  return codecs.get(schema)
}
