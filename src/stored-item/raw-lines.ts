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

export function* splitLines(lines: Uint8Array): Generator<Buffer> {
  const buffer = bufferOf(lines)
  if (buffer.length === 0) return
  let start = 0
  for (let end = buffer.indexOf(lineFeed); end >= 0; end = buffer.indexOf(lineFeed, start)) {
    yield buffer.subarray(start, end)
    start = end + 1
  }
  yield buffer.subarray(start)
}

/** The item on a line of the format `textAndOffset`. */
export function rawItemOfLine(line: Buffer): RawItem {
  const textEnd = textEndOf(line)
  const text = line.toString('utf8', 0, textEnd)
  return new LazyItem(text, Number(line.toString('latin1', textEnd)), 0, null)
}

/** The version of the item on a line of the format `textAndOffset`, without decoding the item. */
export function versionOfLine(line: Buffer): string | undefined {
  const textEnd = textEndOf(line)
  return hashInTextEnd(line.toString('latin1', Math.max(0, textEnd - hashTailLength), textEnd))
}

/** Only digits stand after the text. */
function textEndOf(line: Buffer): number {
  let end = line.length
  while (end > 0 && line[end - 1] !== brace) end--
  return end
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
