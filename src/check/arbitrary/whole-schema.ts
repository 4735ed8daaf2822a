import { followed, isObject } from '../node-at.ts'
import type { Known } from './known.ts'

/** A schema as it stands in the document. */
export type Schema = Readonly<Record<string, unknown>>

/** The parts of an intersection as one. */
export function whole(known: Known, schema: Schema): Schema {
  if (!Array.isArray(schema.allOf)) return schema
  return schema.allOf.reduce<Schema>((all, part) => merged(known, all, part), without(schema, 'allOf'))
}

/** What satisfies both, as far as members go; of other words the part has the last. */
export function merged(known: Known, base: Schema, part: unknown): Schema {
  const { value } = followed(known.document, { value: part, pointer: '' })
  if (!isObject(value)) return base
  return {
    ...base,
    ...value,
    ...joined('properties', base, value, (one, other) => ({ ...(one as Schema), ...(other as Schema) })),
    ...joined('required', base, value, (one, other) => [
      ...new Set([...((one ?? []) as readonly string[]), ...((other ?? []) as readonly string[])]),
    ]),
  }
}

function joined(word: string, one: Schema, other: Schema, join: (a: unknown, b: unknown) => unknown): Schema {
  return one[word] === undefined && other[word] === undefined ? {} : { [word]: join(one[word], other[word]) }
}

export function without(schema: Schema, word: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== word))
}
