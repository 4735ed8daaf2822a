// Raw JSON of many items, one item on each line. Stored JSON has no line feed that is not escaped.

import { hashInTextEnd, hashTailLength, idOffset, LazyItem } from './lazy-item.ts'
import type { RawItem } from './stored-item.ts'

/** What a line holds: the text of an item, followed by its `relationsOffset` in digits or not. */
export type RawLineFormat = 'text' | 'textAndOffset'

const lineFeed = 0x0a
const comma = 0x2c
const quote = 0x22
const backslash = 0x5c
const brace = 0x7d

/** The lines without the last one. */
export function withoutLastLine(lines: Buffer): Buffer {
  return lines.subarray(0, Math.max(0, lines.lastIndexOf(lineFeed)))
}

export function idOfFirstLine(lines: Buffer): string {
  return idAt(lines, 0)
}

export function idOfLastLine(lines: Buffer): string {
  return idAt(lines, lines.lastIndexOf(lineFeed) + 1)
}

/** Replaces the line feeds by commas, in place. */
export function joinByCommas(lines: Uint8Array): Uint8Array {
  const buffer = bufferOf(lines)
  let offset = buffer.indexOf(lineFeed)
  for (; offset >= 0; offset = buffer.indexOf(lineFeed, offset + 1)) buffer[offset] = comma
  return buffer
}

/** One line of the format `textAndOffset`. */
export interface RawLine {
  readonly lines: Uint8Array
  readonly start: number
  readonly end: number
}

/**
 * Maps the lines of the format `textAndOffset`. The version of an item is read without decoding the
 * item.
 */
export function mapLines<T>(
  lines: Uint8Array,
  map: (version: string | undefined, line: RawLine) => T,
): readonly T[] {
  const mapped: T[] = []
  // One character for each byte.
  const text = bufferOf(lines).toString('latin1')
  for (let start = 0; start < text.length; ) {
    const lineFeedIndex = text.indexOf('\n', start)
    const end = lineFeedIndex < 0 ? text.length : lineFeedIndex
    const textEnd = text.lastIndexOf('}', end - 1) + 1
    const version = hashInTextEnd(text.slice(Math.max(start, textEnd - hashTailLength), textEnd))
    mapped.push(map(version, { lines, start, end }))
    start = end + 1
  }
  return mapped
}

export function rawItemOfLine({ lines, start, end }: RawLine): RawItem {
  const buffer = bufferOf(lines)
  const textEnd = buffer.lastIndexOf(brace, end - 1) + 1
  const text = buffer.toString('utf8', start, textEnd)
  return new LazyItem(text, Number(buffer.toString('latin1', textEnd, end)), 0, null)
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

function idAt(lines: Buffer, lineStart: number): string {
  const start = lineStart + idOffset
  let end = lines.indexOf(quote, start + 1)
  while (isEscaped(lines, end)) end = lines.indexOf(quote, end + 1)
  return JSON.parse(lines.toString('utf8', start, end + 1)) as string
}

/** A character is escaped if an odd number of backslashes stands in front of it. */
function isEscaped(lines: Buffer, offset: number): boolean {
  let start = offset
  while (lines[start - 1] === backslash) start--
  return (offset - start) % 2 === 1
}
