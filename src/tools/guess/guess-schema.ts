import { z } from 'zod'
import { isMemberName } from '../../model/naming.ts'
import { objectText } from '../pull/source-text.ts'
import type { JsonObject } from './read-data.ts'

/** A schema, and the expression of TypeScript that makes it. */
export interface GuessedSchema {
  readonly text: string
  readonly schema: z.ZodType
}

/** Objects with more members than this are dictionaries, whose keys are data. */
const maxMembers = 50

/** The narrowest common schema that all values satisfy. */
export function guessSchema(values: readonly unknown[]): GuessedSchema {
  const present = values.filter((value) => value !== null)
  if (present.length === 0) return unknownValue
  const kinds = groupByKind(present)
  const [first, ...others] = [...kinds].map(([kind, ofKind]) => guessers[kind](ofKind))
  const guess = others.length === 0 ? first! : unionOf([first!, ...others])
  return present.length < values.length
    ? { text: `${guess.text}.nullable()`, schema: guess.schema.nullable() }
    : guess
}

/** That of a member that some objects lack. */
export function optional({ text, schema }: GuessedSchema): GuessedSchema {
  return { text: `${text}.optional()`, schema: schema.optional() }
}

const unknownValue: GuessedSchema = { text: 'z.unknown()', schema: z.unknown() }

type Kind = 'string' | 'number' | 'boolean' | 'array' | 'object'

const guessers: Readonly<Record<Kind, (values: readonly never[]) => GuessedSchema>> = {
  string: guessText,
  number: guessNumber,
  boolean: () => ({ text: 'z.boolean()', schema: z.boolean() }),
  array: guessArray,
  object: guessObject,
}

function groupByKind(values: readonly unknown[]): ReadonlyMap<Kind, never[]> {
  const groups = new Map<Kind, never[]>()
  for (const value of values) {
    const kind = kindOf(value)
    const group = groups.get(kind)
    if (group) group.push(value as never)
    else groups.set(kind, [value as never])
  }
  return groups
}

function kindOf(value: unknown): Kind {
  return Array.isArray(value) ? 'array' : (typeof value as Kind)
}

/** Formats of text, before text of any form. */
const textFormats: readonly GuessedSchema[] = [
  { text: 'z.iso.date()', schema: z.iso.date() },
  { text: 'z.iso.datetime({ offset: true })', schema: z.iso.datetime({ offset: true }) },
  { text: 'z.email()', schema: z.email() },
]

function guessText(values: readonly string[]): GuessedSchema {
  const format = textFormats.find(({ schema }) =>
    values.every((value) => schema.safeParse(value).success),
  )
  if (format) return format
  // Any word with a colon would be a URL.
  const isUrl = values.every((value) => /^https?:\/\/\S+$/.test(value) && URL.canParse(value))
  if (isUrl) return { text: 'z.url()', schema: z.url() }
  return { text: 'z.string()', schema: z.string() }
}

function guessNumber(values: readonly number[]): GuessedSchema {
  return values.every(Number.isSafeInteger)
    ? { text: 'z.int()', schema: z.int() }
    : { text: 'z.number()', schema: z.number() }
}

function guessArray(values: readonly (readonly unknown[])[]): GuessedSchema {
  const { text, schema } = guessSchema(values.flat())
  return { text: `z.array(${text})`, schema: z.array(schema) }
}

function guessObject(values: readonly JsonObject[]): GuessedSchema {
  const members = membersOf(values)
  if (members.size > maxMembers || [...members.keys()].some((name) => !isMemberName(name))) {
    const { text, schema } = guessSchema(values.flatMap((value) => Object.values(value)))
    return { text: `z.record(z.string(), ${text})`, schema: z.record(z.string(), schema) }
  }
  const guesses = [...members].map(([name, present]): [string, GuessedSchema] => {
    const guess = guessSchema(present)
    return [name, present.length < values.length ? optional(guess) : guess]
  })
  const text =
    guesses.length === 0 ? '{}' : objectText(guesses.map(([name, guess]) => [name, guess.text]))
  const shape = Object.fromEntries(guesses.map(([name, guess]) => [name, guess.schema]))
  return { text: `z.object(${text})`, schema: z.object(shape) }
}

/** The values of each member, of the objects that have it. */
export function membersOf(objects: readonly JsonObject[]): ReadonlyMap<string, readonly unknown[]> {
  const members = new Map<string, unknown[]>()
  for (const object of objects)
    for (const [name, value] of Object.entries(object)) {
      const values = members.get(name)
      if (values) values.push(value)
      else members.set(name, [value])
    }
  return members
}

function unionOf(guesses: readonly GuessedSchema[]): GuessedSchema {
  return {
    text: `z.union([${guesses.map(({ text }) => text).join(', ')}])`,
    schema: z.union(guesses.map(({ schema }) => schema)),
  }
}
