import type { ApiError } from '../../error/api-error.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'

export const multipartErrors = ['malformed-multipart'] as const

const { createApiError, refuse } = refusalsOf(multipartErrors)

/** The headers of a part by lower-case name, one character per byte. */
export type PartHeaders = ReadonlyMap<string, string>

/** Reads the parts of a form in their order. `nextPart` skips unread bytes of the current part. */
export interface MultipartReader {
  /** The headers of the next part; undefined after the last part, when the body is fully read. */
  nextPart(): Promise<PartHeaders | undefined>
  /** The bytes of the current part. Can be read once. */
  partBytes(): AsyncGenerator<Uint8Array, void>
  /** Closes the source. */
  cancel(): Promise<void>
}

/** The limit for each of: the preamble, the headers of a part, the epilogue. */
const maxHeaderBytes = 16_384
const boundaryPattern = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/
const headerLinePattern = /^([!#$%&'*+\-.^`|~\w]+):[\t ]*([^\0\r\n]*?)[\t ]*$/

/**
 * Parses a multipart body (RFC 2046 §5.1.1) as a stream; it buffers at most one chunk. It is strict
 * where parsers differ: no folded or repeated headers, only white space after a boundary, and a
 * closing boundary.
 * @throws ApiError `malformed-multipart`, here or from any method; and the errors of the source.
 */
export function createMultipartReader(
  boundary: string | undefined,
  source: AsyncIterable<Uint8Array>,
): MultipartReader {
  if (boundary === undefined || !boundaryPattern.test(boundary)) {
    throw refuse(
      'malformed-multipart',
      "Content-Type must have a 'boundary' of 1 to 70 characters.",
      { header: 'Content-Type' },
    )
  }
  const chunks = source[Symbol.asyncIterator]()
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  // The first boundary may be the start of the body, without a line break before it.
  let buffer = Buffer.from('\r\n')
  let hasStarted = false
  let isInPart = false
  /** Is all of the part that is in the buffer read, but for what may begin a delimiter? */
  let isBufferRead = false
  let hasEnded = false

  const readChunk = async (): Promise<boolean> => {
    const next = await chunks.next()
    if (next.done) hasEnded = true
    else buffer = Buffer.concat([buffer, next.value])
    return !next.done
  }

  /** Consumes the bytes up to a delimiter, and the delimiter. */
  const readUntil = async (end: Buffer | string, endName: string): Promise<Buffer> => {
    for (let from = 0; ; ) {
      const at = buffer.indexOf(end, from)
      if (at >= 0 && at <= maxHeaderBytes) {
        const bytes = buffer.subarray(0, at)
        buffer = buffer.subarray(at + end.length)
        return bytes
      }
      if (at >= 0 || buffer.length > maxHeaderBytes)
        throw malformedMultipart(`more than ${maxHeaderBytes} bytes before ${endName}`)
      from = Math.max(0, buffer.length - end.length + 1)
      if (!(await readChunk())) throw malformedMultipart(`the body ends before ${endName}`)
    }
  }

  /** The next bytes of the part, possibly none; undefined after its end. */
  const nextBytes = async (): Promise<Uint8Array | undefined> => {
    if (!isInPart) return undefined
    if (isBufferRead && !(await readChunk()))
      throw malformedMultipart('the body ends inside a part')
    const at = buffer.indexOf(delimiter)
    const end = at < 0 ? buffer.length - delimiter.length + 1 : at
    const bytes = buffer.subarray(0, Math.max(0, end))
    buffer = buffer.subarray(at < 0 ? bytes.length : at + delimiter.length)
    isInPart = at < 0
    isBufferRead = isInPart
    return bytes
  }
  const partBytes = () => bytesOf(nextBytes)

  /** After a boundary follow the headers of a part, or two dashes and the epilogue. */
  const readPartHeaders = async (): Promise<PartHeaders | undefined> => {
    while (buffer.length < 2)
      if (!(await readChunk())) throw malformedMultipart('the body ends inside a boundary')
    if (buffer.toString('latin1', 0, 2) === '--') return skipEpilogue()
    isInPart = true
    return parsePartHeaders(await readUntil('\r\n\r\n', 'the end of the headers of a part'))
  }

  const skipEpilogue = async (): Promise<undefined> => {
    for (let size = buffer.length; ; size += buffer.length) {
      if (size > maxHeaderBytes)
        throw malformedMultipart(`more than ${maxHeaderBytes} bytes after the last boundary`)
      buffer = Buffer.alloc(0)
      if (!(await readChunk())) return undefined
    }
  }

  return {
    async nextPart() {
      if (hasEnded) return undefined
      if (isInPart) for await (const _ of partBytes());
      else if (!hasStarted) await readUntil(delimiter, 'the first boundary')
      hasStarted = true
      return readPartHeaders()
    },
    partBytes,
    async cancel() {
      await chunks.return?.()
    },
  }
}

async function* bytesOf(
  next: () => Promise<Uint8Array | undefined>,
): AsyncGenerator<Uint8Array, void> {
  for (let bytes = await next(); bytes !== undefined; bytes = await next())
    if (bytes.length > 0) yield bytes
}

function parsePartHeaders(block: Buffer): PartHeaders {
  const [padding, ...lines] = block.toString('latin1').split('\r\n')
  if (!/^[\t ]*$/.test(padding!)) throw malformedMultipart('unexpected characters after a boundary')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = headerLinePattern.exec(line) ?? []
    if (name === undefined || value === undefined)
      throw malformedMultipart('a part has an invalid header line')
    if (headers.has(name.toLowerCase()))
      throw malformedMultipart(`a part has the header '${truncate(name, 100)}' more than once`)
    headers.set(name.toLowerCase(), value)
  }
  return headers
}

function malformedMultipart(reason: string): ApiError {
  return createApiError('malformed-multipart', `Malformed multipart body: ${reason}.`)
}
