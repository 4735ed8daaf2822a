import { hash } from 'node:crypto'
import type { Position, Scalar, SortKey } from './query-plan.ts'

/** The beginning of a text that is too long for a cursor. */
export type TextPrefix = readonly [text: string]

/**
 * What a cursor holds of a position whose values are too long for it: how long texts begin, and a
 * digest of the whole position, which tells whether the item with the id still has that position.
 */
export interface TruncatedPosition {
  readonly id: string
  readonly digest: string
  /** A value for each sort key; empty where even the beginnings were too long together. */
  readonly values: readonly (Scalar | TextPrefix)[]
}

/** @param maxBytes of the values as JSON in UTF-8, commas counted */
export function truncatePosition(position: Position, maxBytes: number): TruncatedPosition {
  const sizes = position.slice(0, -1).map((value) => jsonBytes(value) + 1)
  const share = maxBytes / sizes.length
  const short = sizes.filter((size) => size <= share)
  const room =
    (maxBytes - short.reduce((sum, size) => sum + size, 0)) / (sizes.length - short.length)
  const values = sizes.map((size, index): Scalar | TextPrefix => {
    const value = position[index]!
    return size > share && typeof value === 'string'
      ? [truncateToJsonBytes(value, room - bracketBytes)]
      : value
  })
  const fits = values.reduce((sum: number, value) => sum + jsonBytes(value) + 1, 0) <= maxBytes
  return {
    id: String(position.at(-1)),
    digest: positionDigest(position),
    values: fits ? values : [],
  }
}

/** `[""],` */
const bracketBytes = 5

export function positionDigest(position: Position): string {
  return hash('sha256', JSON.stringify(position), 'base64url').slice(0, digestLength)
}

const digestLength = 22

/**
 * A position from which reading on meets every item that it would have met from the whole one, and
 * besides those that share the beginnings with it. Undefined where there is none.
 */
export function boundingPosition(
  { id, values }: TruncatedPosition,
  sort: readonly SortKey[],
  reading: 'forwards' | 'backwards',
): Position | undefined {
  if (values.length !== sort.length) return undefined
  const bound: Scalar[] = []
  for (const [index, value] of values.entries()) {
    const isRising = (sort[index]!.direction === 'asc') === (reading === 'forwards')
    const scalar = Array.isArray(value)
      ? isRising
        ? value[0]
        : nextTextAfter(value[0])
      : (value as Scalar)
    if (scalar === undefined) return undefined
    bound.push(scalar)
  }
  return [...bound, id]
}

/** The smallest text that is greater than every text with this beginning. */
function nextTextAfter(text: string): string | undefined {
  const points = Array.from(text, (character) => character.codePointAt(0)!)
  while (points.at(-1) === lastCodePoint) points.pop()
  const last = points.pop()
  if (last === undefined) return undefined
  return String.fromCodePoint(
    ...points,
    last === lastBeforeSurrogates ? firstAfterSurrogates : last + 1,
  )
}

const lastCodePoint = 0x10ffff
const lastBeforeSurrogates = 0xd7ff
const firstAfterSurrogates = 0xe000

function truncateToJsonBytes(text: string, maxBytes: number): string {
  let left = maxBytes
  let end = 0
  for (const character of text) {
    left -= jsonBytes(character) - 2
    if (left < 0) break
    end += character.length
  }
  return text.slice(0, end)
}

function jsonBytes(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
