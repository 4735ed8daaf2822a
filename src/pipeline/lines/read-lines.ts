import { refusalsOf } from '../../error/refusals.ts'
import type { RequestBody } from '../../http/api-request.ts'
import { readJson, readJsonText } from '../../http/json/read-json.ts'
import { defaultUnfinishedBodyBytes, UnfinishedBody } from '../../http/unfinished-bodies.ts'
import type { ModelView } from '../../model/model-view.ts'
import type { CsvItemLines, ItemLines } from '../../rule/item-lines.ts'
import type { RouterLimits } from '../../rule/router-limits.ts'
import { type CsvCell, readCsvRecord } from '../../text/csv-record.ts'
import { RecordSplitter, type SplitRecord } from '../../text/record-splitter.ts'
import { jsonLimits } from '../decode.ts'
import { largeBodyBytes } from '../large-bodies.ts'

export const readLineErrors = ['malformed-csv', 'body-too-large', 'empty-body'] as const

const { createApiError, refuse } = refusalsOf(readLineErrors)

/** A line of a body, which has an item. */
export interface Line {
  /** The number of the line on which it begins, from 1; the header of CSV has one too. */
  readonly number: number
  /** In bytes. */
  readonly size: number
  /**
   * Parses the line.
   * @throws ApiError with what is wrong with it
   */
  parse(): unknown
}

/** How lines are taken. */
interface LinesTaking {
  /** Does whoever takes the lines keep all of them until the body ends? */
  readonly areKept: boolean
  /** Is the line left out, because it is carried out already? */
  isDone(line: number): boolean
}

/** Lines that share a transaction; fewer if they have many bytes. */
const linesPerBatch = 100

/**
 * The lines of a body as they arrive, in batches. The body is read no faster than batches are
 * taken. What memory holds of it counts among the unfinished bodies of the process.
 *
 * @throws ApiError for a wrong header of CSV, for a body without lines, and `overloaded`
 */
export async function* readLines(
  body: RequestBody,
  lines: ItemLines,
  view: ModelView,
  limits: RouterLimits,
  { areKept, isDone }: LinesTaking,
): AsyncGenerator<readonly Line[], void> {
  const splitter = new RecordSplitter(lines.kind, limits.maxBodyBytes)
  const lineOf = lineReader(lines, view, limits)
  const unfinished = new UnfinishedBody(defaultUnfinishedBodyBytes)
  let batch: Line[] = []
  let size = 0
  let keptBytes = 0
  let isEmpty = true
  try {
    for await (const records of recordBatches(body, splitter, unfinished.signal)) {
      for (const record of records) {
        isEmpty = false
        const line = lineOf(record)
        if (!line || isDone(line.number)) continue
        batch.push(line)
        size += line.size
        if (batch.length < linesPerBatch && size < largeBodyBytes) continue
        yield batch
        if (areKept) keptBytes += size
        batch = []
        size = 0
      }
      unfinished.hold(keptBytes + size + splitter.heldBytes)
    }
  } finally {
    unfinished.end()
  }
  if (isEmpty) throw noLines(lines)
  if (batch.length > 0) yield batch
}

async function* recordBatches(
  body: RequestBody,
  splitter: RecordSplitter,
  signal: AbortSignal,
): AsyncGenerator<Iterable<SplitRecord>, void> {
  const chunks = body.stream()[Symbol.asyncIterator]()
  let endWait: ((reason: unknown) => void) | undefined
  signal.addEventListener('abort', () => endWait?.(signal.reason), { once: true })
  let isOver = false
  try {
    for (;;) {
      // A client that sends no more would be waited for until its time is over.
      const next = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        endWait = reject
        chunks.next().then(resolve, reject)
      })
      isOver = next.done === true
      if (next.done) break
      yield splitter.push(next.value)
    }
    yield splitter.end()
  } finally {
    if (!isOver) void Promise.resolve(chunks.return?.()).catch(() => {})
  }
}

export function noLines({ mediaType }: ItemLines): Error {
  return createApiError('empty-body', `The body has no lines; expected ${mediaType}.`)
}

/**
 * Makes lines of records; undefined for the header.
 * @returns a function that throws ApiError for a wrong header
 */
export function lineReader(
  lines: ItemLines,
  view: ModelView,
  limits: RouterLimits,
): (record: SplitRecord) => Line | undefined {
  if (lines.kind === 'json')
    return ({ line, bytes }) => ({
      number: line,
      size: bytes?.length ?? 0,
      parse: () => readJson(bytes ?? tooLong(limits), jsonLimits(limits)),
    })
  let read: ReturnType<CsvItemLines['readHeader']> | undefined
  let maxCells = lines.maxColumns(view)
  return ({ line, bytes }) => {
    if (read) {
      const readCells = read
      return {
        number: line,
        size: bytes?.length ?? 0,
        parse: () =>
          readJsonText(
            readCells(cellsOf(bytes ?? tooLong(limits), line, maxCells)),
            jsonLimits(limits),
          ),
      }
    }
    const names = cellsOf(withoutByteOrderMark(bytes ?? tooLong(limits)), line, maxCells)
    read = lines.readHeader(
      names.map(({ text }) => text),
      view,
    )
    maxCells = names.length + 1
    return undefined
  }
}

function tooLong({ maxBodyBytes }: RouterLimits): never {
  throw refuse('body-too-large', `A line must have at most ${maxBodyBytes} bytes.`, undefined, {
    meta: { limit: maxBodyBytes },
  })
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function cellsOf(bytes: Uint8Array, line: number, maxCells: number): readonly CsvCell[] {
  const record = readCsvRecord(textOf(bytes, line), maxCells)
  if (record.kind === 'cells') return record.cells
  throw refuse('malformed-csv', record.reason, undefined, { meta: { line } })
}

function textOf(bytes: Uint8Array, line: number): string {
  try {
    return strictUtf8.decode(bytes)
  } catch {
    throw refuse('malformed-csv', 'The record is not valid UTF-8.', undefined, { meta: { line } })
  }
}

/** Spreadsheets write one. */
function withoutByteOrderMark(bytes: Uint8Array): Uint8Array {
  const hasMark = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf
  return hasMark ? bytes.subarray(3) : bytes
}
