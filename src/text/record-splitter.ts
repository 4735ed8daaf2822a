/** A record of a body of lines, as its bytes. */
export interface SplitRecord {
  /** The line on which it begins, counted from 1. */
  readonly line: number
  /** Without its line break; undefined if there are more than the limit. */
  readonly bytes: Uint8Array | undefined
}

/** Where records end: at each line break, or at those outside of quoted cells (RFC 4180). */
export type RecordFormat = 'json' | 'csv'

const newline = 0x0a
const carriageReturn = 0x0d
const quote = 0x22
const comma = 0x2c

/** An array of its own costs more memory than so few bytes. */
const smallPartBytes = 128

const maxSmallParts = 1_000

/** Where a byte stands in CSV. */
type CellState = 'start' | 'plain' | 'quoted' | 'afterQuote'

/**
 * Splits chunks of bytes into records. It holds the bytes of one record only, and none of one that
 * is too long. Bytes, because no character of UTF-8 has a byte of ASCII: a broken one spoils only
 * its own record.
 */
export class RecordSplitter {
  readonly #format: RecordFormat
  readonly #maxBytes: number
  #parts: Uint8Array[] = []
  /** Small parts at the end of `#parts`, which are joined when there are many. */
  #smallParts = 0
  #size = 0
  #line = 1
  #startLine = 1
  #cell: CellState = 'start'

  constructor(format: RecordFormat, maxBytes: number) {
    this.#format = format
    this.#maxBytes = maxBytes
  }

  /** Of the record whose end has not come. */
  get heldBytes(): number {
    return this.#parts.length === 0 ? 0 : this.#size
  }

  /** The records that end in the chunk. Empty lines are none. */
  *push(chunk: Uint8Array): Generator<SplitRecord> {
    let from = 0
    for (;;) {
      const end =
        this.#format === 'csv' ? this.#endOfRecord(chunk, from) : chunk.indexOf(newline, from)
      if (end < 0) break
      this.#add(chunk.subarray(from, end))
      from = end + 1
      this.#line++
      const record = this.#take()
      if (record) yield record
    }
    this.#add(chunk.subarray(from))
  }

  /** The last record, which no line break ends. */
  *end(): Generator<SplitRecord> {
    const record = this.#take()
    if (record) yield record
  }

  #add(part: Uint8Array): void {
    this.#size += part.length
    if (this.#size > this.#maxBytes) this.#clear()
    else if (part.length > 0) this.#push(ownBytes(part))
  }

  #push(part: Uint8Array): void {
    this.#parts.push(part)
    this.#smallParts = part.length < smallPartBytes ? this.#smallParts + 1 : 0
    if (this.#smallParts < maxSmallParts) return
    const small = this.#parts.splice(-maxSmallParts)
    this.#smallParts = 0
    this.#parts.push(joined(small))
  }

  #clear(): void {
    this.#parts = []
    this.#smallParts = 0
  }

  #take(): SplitRecord | undefined {
    const line = this.#startLine
    const isTooLong = this.#size > this.#maxBytes
    const bytes = isTooLong ? undefined : withoutReturn(joined(this.#parts))
    this.#clear()
    this.#size = 0
    this.#startLine = this.#line
    this.#cell = 'start'
    return bytes?.length === 0 ? undefined : { line, bytes }
  }

  /** The line break that ends the record; -1 if it is not in the chunk. */
  #endOfRecord(chunk: Uint8Array, from: number): number {
    let cell = this.#cell
    for (let index = from; index < chunk.length; index++) {
      const byte = chunk[index]
      if (cell === 'quoted') {
        if (byte === quote) cell = 'afterQuote'
        else if (byte === newline) this.#line++
      } else if (byte === newline) return index
      else if (byte === comma) cell = 'start'
      else if (byte === quote && cell !== 'plain') cell = 'quoted'
      else cell = 'plain'
    }
    this.#cell = cell
    return -1
  }
}

/** The bytes without the rest of their chunk, where this rest is the larger part of its memory. */
function ownBytes(part: Uint8Array): Uint8Array {
  return part.length < part.buffer.byteLength / 2 ? Uint8Array.prototype.slice.call(part) : part
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!
  const all = new Uint8Array(parts.reduce((size, { length }) => size + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** A line may end in CR LF. */
function withoutReturn(bytes: Uint8Array): Uint8Array {
  return bytes.at(-1) === carriageReturn ? bytes.subarray(0, -1) : bytes
}
