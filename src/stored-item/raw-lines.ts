// Items as a store joins them, each on a line (`RawLineFormat`): no JSON that is written without
// blanks has a line feed in it that is not escaped.

import { hashLength, LazyItem } from './lazy-item.ts'
import type { RawItem } from './stored-item.ts'

/**
 * What a line of raw JSON holds: the text of an item; its text, then the offset of its relations
 * in digits; or its version alone (43 characters, or a placeholder of that length), then its id as
 * JSON.
 */
export type RawLineFormat = 'text' | 'textAndSplit' | 'version'

const lineFeed = 0x0a
const comma = 0x2c
const quote = 0x22
const backslash = 0x5c
const brace = 0x7d

/** The same without the last line. */
export function withoutLastLine(lines: Buffer): Buffer {
  return lines.subarray(0, Math.max(0, lines.lastIndexOf(lineFeed)))
}

export function idOfFirstLine(lines: Buffer, line: RawLineFormat): string {
  return idAt(lines, 0, line)
}

export function idOfLastLine(lines: Buffer, line: RawLineFormat): string {
  return idAt(lines, lines.lastIndexOf(lineFeed) + 1, line)
}

/** The same with commas where lines end: in place, for nothing else needs them. */
export function joinByCommas(given: Uint8Array): Uint8Array {
  const lines = bufferOf(given)
  for (let at = lines.indexOf(lineFeed); at >= 0; at = lines.indexOf(lineFeed, at + 1))
    lines[at] = comma
  return lines
}

export function* splitLines(given: Uint8Array): Generator<Buffer> {
  const lines = bufferOf(given)
  if (lines.length === 0) return
  let start = 0
  for (let end = lines.indexOf(lineFeed); end >= 0; end = lines.indexOf(lineFeed, start)) {
    yield lines.subarray(start, end)
    start = end + 1
  }
  yield lines.subarray(start)
}

/** The item whose text and split are on the line, of which no more is known. */
export function rawItemOfLine(line: Buffer): RawItem {
  const end = line.lastIndexOf(brace) + 1
  return new LazyItem(line.toString('utf8', 0, end), Number(line.toString('latin1', end)), 0, null)
}

/** The hashes of items of which nothing but that and the id is on a line. */
export function versionsInLines(lines: Uint8Array): readonly string[] {
  if (lines.length === 0) return []
  const all = bufferOf(lines).toString('latin1').split('\n')
  return all.map((line) => line.slice(0, hashLength))
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

const beforeId: Readonly<Record<RawLineFormat, number>> = {
  text: '{"id":'.length,
  textAndSplit: '{"id":'.length,
  version: hashLength,
}

function idAt(lines: Buffer, at: number, line: RawLineFormat): string {
  const start = at + beforeId[line]
  let end = lines.indexOf(quote, start + 1)
  while (isEscaped(lines, end)) end = lines.indexOf(quote, end + 1)
  return JSON.parse(lines.toString('utf8', start, end + 1)) as string
}

/** Is there an odd number of backslashes before it? */
function isEscaped(lines: Buffer, at: number): boolean {
  let before = at
  while (lines[before - 1] === backslash) before--
  return (at - before) % 2 === 1
}
