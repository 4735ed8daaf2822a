import { hash } from 'node:crypto'
import type { Position, Scalar, SortKey } from './query-plan.ts'

/** The beginning of a string that is too long for a cursor. */
type TextPrefix = readonly [prefix: string]

/**
 * A position whose values are too long for a cursor. It holds the beginnings of long strings, and a
 * digest of the whole position, which shows whether the item with the id still has that position.
 */
export interface TruncatedPosition {
  readonly id: string
  readonly digest: string
  /** A value for each sort key; empty if even the beginnings are too long together. */
  readonly values: readonly (Scalar | TextPrefix)[]
}

/** @param maxBytes the maximum of the values as JSON in UTF-8, with commas */
export function truncatePosition(position: Position, maxBytes: number): TruncatedPosition {
  const sizes = position.slice(0, -1).map((value) => jsonBytes(value) + 1)
  const share = maxBytes / sizes.length
  const smallSizes = sizes.filter((size) => size <= share)
  const maxLongBytes =
    (maxBytes - smallSizes.reduce((sum, size) => sum + size, 0)) /
    (sizes.length - smallSizes.length)
  const values = sizes.map((size, index): Scalar | TextPrefix => {
    const value = position[index]!
    return size > share && typeof value === 'string'
      ? [truncateToJsonBytes(value, maxLongBytes - bracketBytes)]
      : value
  })
  const fits = values.reduce((sum: number, value) => sum + jsonBytes(value) + 1, 0) <= maxBytes
  return {
    id: String(position.at(-1)),
    digest: positionDigest(position),
    values: fits ? values : [],
  }
}

/** Of `[""],` around a prefix. */
const bracketBytes = 5

export function positionDigest(position: Position): string {
  return hash('sha256', JSON.stringify(position), 'base64url').slice(0, digestLength)
}

const digestLength = 22

/**
 * A position from which reading finds every item behind the whole position, and besides them items
 * that share the beginnings of its strings. Undefined if there is none.
 */
export function boundingPosition(
  { id, values }: TruncatedPosition,
  sort: readonly SortKey[],
  reading: 'forwards' | 'backwards',
): Position | undefined {
  if (values.length !== sort.length) return undefined
  const bound: Scalar[] = []
  for (const [index, value] of values.entries()) {
    const isAscending = (sort[index]!.direction === 'asc') === (reading === 'forwards')
    const scalar = Array.isArray(value)
      ? isAscending
        ? value[0]
        : nextTextAfter(value[0])
      : (value as Scalar)
    if (scalar === undefined) return undefined
    bound.push(scalar)
  }
  return [...bound, id]
}

/** The smallest string that is greater than every string with this prefix. */
function nextTextAfter(prefix: string): string | undefined {
  const codePoints = Array.from(prefix, (character) => character.codePointAt(0)!)
  while (codePoints.at(-1) === lastCodePoint) codePoints.pop()
  const last = codePoints.pop()
  if (last === undefined) return undefined
  return String.fromCodePoint(
    ...codePoints,
    last === lastBeforeSurrogates ? firstAfterSurrogates : last + 1,
  )
}

const lastCodePoint = 0x10ffff
const lastBeforeSurrogates = 0xd7ff
const firstAfterSurrogates = 0xe000

function truncateToJsonBytes(text: string, maxBytes: number): string {
  let remainingBytes = maxBytes
  let length = 0
  for (const character of text) {
    remainingBytes -= jsonBytes(character) - 2
    if (remainingBytes < 0) break
    length += character.length
  }
  return text.slice(0, length)
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
