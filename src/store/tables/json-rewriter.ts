import type { StructMember, ValueType } from '../../model/value-type.ts'
import { compareNames, flatJsonRewriter, type JsonRewriter } from './flat-json-rewriter.ts'
import { plainNumber } from './plain-number.ts'

/** Two ways to rewrite JSON, the quicker one first. */
interface JsonRewriters {
  /** Undefined for types that it cannot rewrite. */
  readonly flat: JsonRewriter | undefined
  readonly nested: JsonRewriter
}

/**
 * Rewrites the text that PostgreSQL makes of `jsonb`: without spaces, with the members of structs
 * in the order of the model. Parsing it and writing the value takes three times as long.
 *
 * @returns functions of valid JSON, in which all surrogates are pairs
 */
export function jsonRewriters(type: ValueType): JsonRewriters {
  return { flat: flatJsonRewriter(type), nested: nestedJsonRewriter(type) }
}

function nestedJsonRewriter(type: ValueType): JsonRewriter {
  const rewrite = rewriterOf(type)
  return (json) => {
    // Without escapes, a string ends at the next quote.
    if (json.includes('\\')) return undefined
    const cursor = new Cursor(json)
    const text = rewrite(cursor)
    return cursor.offset === json.length ? text : undefined
  }
}

/** Where a text is read. */
class Cursor {
  readonly json: string
  offset = 0

  constructor(json: string) {
    this.json = json
  }

  /** Skips the text, if it is next, and the space after it. */
  skip(text: string): boolean {
    if (!this.json.startsWith(text, this.offset)) return false
    this.offset += text.length
    if (this.json.charCodeAt(this.offset) === space) this.offset++
    return true
  }

  take(end: number): string {
    const text = this.json.slice(this.offset, end)
    this.offset = end
    return text
  }
}

/** Rewrites the value that is next; undefined if it is not of the type, or takes more. */
type ValueRewriter = (cursor: Cursor) => string | undefined

function rewriterOf(type: ValueType): ValueRewriter {
  if (type.kind === 'struct') return structRewriter(type.members)
  return type.kind === 'array' ? arrayRewriter(rewriterOf(type.items)) : rewriteScalar
}

function arrayRewriter(rewriteItem: ValueRewriter): ValueRewriter {
  return (cursor) => {
    if (!cursor.skip('[')) return rewriteScalar(cursor)
    if (cursor.skip(']')) return '[]'
    let text = '['
    for (;;) {
      const item = rewriteItem(cursor)
      if (item === undefined) return undefined
      text += item
      if (cursor.skip(']')) return `${text}]`
      if (!cursor.skip(',')) return undefined
      text += ','
    }
  }
}

/** The members of `jsonb` have one order, so each of them is looked for once. */
function structRewriter(structMembers: ReadonlyMap<string, StructMember>): ValueRewriter {
  const members = Array.from(structMembers, ([name, { type }], index) => ({
    name,
    key: `${JSON.stringify(name)}:`,
    index,
    rewrite: rewriterOf(type),
  }))
  const keys = members.map(({ key }) => key)
  const inStoredOrder = members.sort((one, other) => compareNames(one.name, other.name))
  return (cursor) => {
    if (!cursor.skip('{')) return rewriteScalar(cursor)
    if (cursor.skip('}')) return '{}'
    const values: (string | undefined)[] = new Array(keys.length).fill(undefined)
    let isExpected = true
    for (const { key, index, rewrite } of inStoredOrder) {
      if (!isExpected || !cursor.skip(key)) continue
      values[index] = rewrite(cursor)
      if (values[index] === undefined) return undefined
      isExpected = cursor.skip(',')
    }
    return !isExpected && cursor.skip('}') ? joinMembers(keys, values) : undefined
  }
}

function joinMembers(keys: readonly string[], values: readonly (string | undefined)[]): string {
  let text = ''
  for (let index = 0; index < keys.length; index++) {
    const value = values[index]
    if (value !== undefined) text += (text === '' ? '{' : ',') + keys[index] + value
  }
  return `${text}}`
}

/** Of anything but a scalar, only an object tells the order of its members. */
function rewriteScalar(cursor: Cursor): string | undefined {
  const { json, offset } = cursor
  switch (json.charCodeAt(offset)) {
    case quote:
      return cursor.take(json.indexOf('"', offset + 1) + 1)
    case openingBrace:
    case openingBracket:
      return undefined
    case firstOfTrue:
    case firstOfNull:
      return cursor.take(offset + 4)
    case firstOfFalse:
      return cursor.take(offset + 5)
  }
  const number = cursor.take(endOfNumber(json, offset))
  return plainNumber.test(number) ? number : undefined
}

function endOfNumber(json: string, start: number): number {
  let end = start
  for (let code = json.charCodeAt(end); code >= minus && code <= nine; )
    code = json.charCodeAt(++end)
  return end
}

const space = 0x20
const quote = 0x22
const minus = 0x2d
const nine = 0x39
const openingBracket = 0x5b
const firstOfFalse = 0x66
const firstOfNull = 0x6e
const firstOfTrue = 0x74
const openingBrace = 0x7b
