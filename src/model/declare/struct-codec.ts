import type { SchemaCodec } from '../../schema/schema-codec.ts'
import { isSchema, type Schema } from '../../schema/standard-schema.ts'
import { codedSchema } from '../coded-schema.ts'
import type { StructMembers } from './struct-members.ts'

/** Members that read and return JSON, with the codec of the whole if code sees other values. */
export interface CodedMembers {
  readonly members: StructMembers
  readonly codec: SchemaCodec | undefined
}

/** @throws RegistrationError if the codec of a member cannot be reversed */
export function codedMembers(members: StructMembers): CodedMembers {
  const coded = Object.entries(members).map(([name, member]) => ({
    name,
    member,
    ...(isSchema(member) && codedSchema(`The member '${name}' of a struct`, member)),
  }))
  const codecs = coded.flatMap(({ name, codec }) => (codec ? [{ name, codec }] : []))
  return {
    members: Object.fromEntries(coded.map(({ name, member, schema }) => [name, schema ?? member])),
    codec:
      codecs.length === 0
        ? undefined
        : {
            decode: (stored) => withMembers(stored, codecs, 'decode'),
            encode: (value) => withMembers(value, codecs, 'encode'),
          },
  }
}

/** @throws RegistrationError as above */
export function codedItems(items: Schema): {
  readonly items: Schema
  readonly codec: SchemaCodec | undefined
} {
  const { schema, codec } = codedSchema('An item of a list', items)
  const each = (values: unknown, change: (value: unknown) => unknown) =>
    Array.isArray(values) ? values.map(change) : values
  return {
    items: schema,
    codec: codec && {
      decode: (stored) => each(stored, (item) => codec.decode(item)),
      encode: (value) => each(value, (item) => codec.encode(item)),
    },
  }
}

function withMembers(
  value: unknown,
  codecs: readonly { readonly name: string; readonly codec: SchemaCodec }[],
  direction: keyof SchemaCodec,
): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const changed: Record<string, unknown> = { ...value }
  for (const { name, codec } of codecs)
    if (changed[name] !== undefined) changed[name] = codec[direction](changed[name])
  return changed
}
