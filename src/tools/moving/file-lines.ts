import { createReadStream } from 'node:fs'

/** A line of a file, without its line feed. */
export interface FileLine {
  /** Counts from 1. */
  readonly number: number
  /** Where it begins, in bytes. */
  readonly offset: number
  readonly bytes: Buffer
  /** Does a line feed end it? */
  readonly isWhole: boolean
}

const lineFeed = 0x0a
const chunkBytes = 1_048_576
/** A line holds an item or a chunk of a blob. A longer one is no line of an export. */
const maxLineBytes = 67_108_864

/**
 * Reads a file line by line.
 * @throws Error for a line of more than 64 MiB
 */
export async function* readLines(
  file: string,
  start: Pick<FileLine, 'number' | 'offset'> = { number: 1, offset: 0 },
): AsyncGenerator<FileLine> {
  const stream = createReadStream(file, { start: start.offset, highWaterMark: chunkBytes })
  let { number, offset } = start
  let rest: Buffer[] = []
  let restBytes = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0
    for (let end = chunk.indexOf(lineFeed); end >= 0; end = chunk.indexOf(lineFeed, from)) {
      const piece = chunk.subarray(from, end)
      const bytes = rest.length === 0 ? piece : Buffer.concat([...rest, piece])
      rest = []
      restBytes = 0
      from = end + 1
      yield { number, offset, bytes, isWhole: true }
      number++
      offset += bytes.length + 1
    }
    if (from === chunk.length) continue
    rest.push(chunk.subarray(from))
    restBytes += chunk.length - from
    if (restBytes > maxLineBytes)
      throw new Error(`Line ${number} of ${file} is longer than ${maxLineBytes} bytes.`)
  }
  if (restBytes > 0) yield { number, offset, bytes: Buffer.concat(rest), isWhole: false }
}
