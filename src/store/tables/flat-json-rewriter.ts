import type { StructMember, ValueType } from '../../model/value-type.ts'
import { plainNumberPattern } from './plain-number.ts'

/**
 * Writes JSON of a database as text again, as a `JsonWriter` writes the value. Undefined where the
 * function cannot: another one has to be tried, or the text has to be parsed.
 */
export type JsonRewriter = (json: string) => string | undefined

/** The states of a long text would fill the stack of the regular expression. */
const maxLength = 16_384

/**
 * Rewrites arrays of scalars, structs of scalars, and arrays of these: with one regular expression
 * instead of calls for each value.
 *
 * @returns a function of valid JSON; undefined for other types
 */
export function flatJsonRewriter(type: ValueType): JsonRewriter | undefined {
  if (type.kind === 'struct') return structsRewriter(type.members, false)
  if (type.kind !== 'array') return undefined
  const { items } = type
  if (items.kind === 'struct') return structsRewriter(items.members, true)
  return items.kind === 'array' ? undefined : rewriteScalars
}

const otherScalar = `true|false|null|${plainNumberPattern}`
const scalar = `"[^"\\\\]*"|${otherScalar}`
/** Without commas in texts, each comma is one between values. */
const scalarsPattern = arrayPattern(`"[^"\\\\,]*"|${otherScalar}`)

function arrayPattern(item: string): RegExp {
  return new RegExp(`^\\[(?:(?:${item})(?:, ?(?:${item}))*)?\\]$`)
}

function rewriteScalars(json: string): string | undefined {
  return json.length <= maxLength && scalarsPattern.test(json)
    ? json.replaceAll(', ', ',')
    : undefined
}

/** Characters with a meaning in regular expressions. */
const special = /[$()*+.?[\\\]^{|}]/g

/**
 * The members of `jsonb` have one order, in which the expression has them.
 *
 * @param areMany is it an array of structs, and not one?
 */
function structsRewriter(
  structMembers: ReadonlyMap<string, StructMember>,
  areMany: boolean,
): JsonRewriter | undefined {
  const names = [...structMembers.keys()]
  const isFlat = [...structMembers.values()].every(
    ({ type: { kind } }) => kind !== 'struct' && kind !== 'array',
  )
  if (!isFlat) return undefined
  const inStoredOrder = [...names].sort(compareNames)
  const groups = inStoredOrder.map(
    (name) => `(?:${JSON.stringify(name).replace(special, '\\$&')}: ?(${scalar}),? ?)?`,
  )
  const pattern = new RegExp(`\\{${groups.join('')}\\}`, 'y')
  const members = names.map((name) => ({
    key: `${JSON.stringify(name)}:`,
    group: inStoredOrder.indexOf(name) + 1,
  }))
  return (json) => {
    if (json.length > maxLength) return undefined
    if (areMany && !json.startsWith('[')) return undefined
    if (areMany && json === '[]') return json
    let text = areMany ? '[' : ''
    const end = areMany ? json.length - 1 : json.length
    for (let offset = areMany ? 1 : 0; ; ) {
      pattern.lastIndex = offset
      const match = pattern.exec(json)
      if (match === null) return undefined
      let separator = '{'
      for (let index = 0; index < members.length; index++) {
        const { key, group } = members[index]!
        const value = match[group]
        if (value === undefined) continue
        text += separator + key + value
        separator = ','
      }
      text += separator === '{' ? '{}' : '}'
      offset += match[0].length
      if (offset === end) return areMany ? `${text}]` : text
      if (json.charCodeAt(offset) !== comma) return undefined
      text += ','
      offset += json.charCodeAt(offset + 1) === space ? 2 : 1
    }
  }
}

/** Shorter names come first in `jsonb`. */
export function compareNames(one: string, other: string): number {
  const [first, second] = [Buffer.from(one), Buffer.from(other)]
  return first.length - second.length || Buffer.compare(first, second)
}

const comma = 0x2c
const space = 0x20
