import { type ApiError, createApiError, refuse } from '../../error/api-error.ts'
import { truncate } from '../../error/truncate.ts'

/** The headers of a part by lower-case name, one character per byte. */
export type PartHeaders = ReadonlyMap<string, string>

/**
 * Reads the parts of a form in their order. What a part has left is passed over when the next is
 * asked for.
 */
export interface MultipartReader {
  /** The headers of the next part; undefined after the last, and then the whole body was read. */
  nextPart(): Promise<PartHeaders | undefined>
  /** The bytes of the part, at most once. */
  partBytes(): AsyncGenerator<Uint8Array, void>
  /** Tells the source that no more is wanted. */
  cancel(): Promise<void>
}

/** Bytes before the first part, of the headers of a part, and behind the last part, each. */
const maxHeaderBytes = 16_384
const boundaryPattern = /^[\w'()+,\-./:=? ]{0,69}[\w'()+,\-./:=?]$/
const headerLinePattern = /^([!#$%&'*+\-.^`|~\w]+):[\t ]*([^\0\r\n]*?)[\t ]*$/

/**
 * Takes a multipart body apart (RFC 2046 §5.1.1) as it is asked for: no more than one chunk of it
 * is held, and no part but the asked one is read. It is strict where readers could differ: no
 * folded or repeated headers, nothing but white space behind a boundary, and a last boundary.
 * @throws ApiError `malformed-multipart`, here or from any call; and whatever the source throws.
 */
export function createMultipartReader(
  boundary: string | undefined,
  source: AsyncIterable<Uint8Array>,
): MultipartReader {
  if (boundary === undefined || !boundaryPattern.test(boundary)) {
    throw refuse(
      'malformed-multipart',
      'The media type of a form names its boundary, of 1 to 70 characters.',
      {
        header: 'Content-Type',
      },
    )
  }
  const chunks = source[Symbol.asyncIterator]()
  const delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  // The first boundary may stand at the very beginning, without a line before it.
  let buffer = Buffer.from('\r\n')
  let hasBegun = false
  let isInPart = false
  let isOver = false

  const more = async (): Promise<boolean> => {
    const next = await chunks.next()
    if (next.done) isOver = true
    else buffer = Buffer.concat([buffer, next.value])
    return !next.done
  }

  /** Takes the bytes up to a mark, and the mark, which has to come soon. */
  const takeTo = async (mark: Buffer | string, what: string): Promise<Buffer> => {
    for (let from = 0; ; ) {
      const at = buffer.indexOf(mark, from)
      if (at >= 0 && at <= maxHeaderBytes) {
        const taken = buffer.subarray(0, at)
        buffer = buffer.subarray(at + mark.length)
        return taken
      }
      if (at >= 0 || buffer.length > maxHeaderBytes)
        throw malformedMultipart(`it has more than ${maxHeaderBytes} bytes before ${what}`)
      from = Math.max(0, buffer.length - mark.length + 1)
      if (!(await more())) throw malformedMultipart(`it ends before ${what}`)
    }
  }

  async function* partBytes(): AsyncGenerator<Uint8Array, void> {
    while (isInPart) {
      const at = buffer.indexOf(delimiter)
      const end = at < 0 ? buffer.length - delimiter.length + 1 : at
      const bytes = buffer.subarray(0, Math.max(0, end))
      buffer = buffer.subarray(at < 0 ? bytes.length : at + delimiter.length)
      isInPart = at < 0
      if (bytes.length > 0) yield bytes
      if (isInPart && !(await more())) throw malformedMultipart('it ends in the middle of a part')
    }
  }

  /**
   * What stands behind a boundary: the headers of a part, or two dashes and the end of the form.
   */
  const headersOrEnd = async (): Promise<PartHeaders | undefined> => {
    while (buffer.length < 2) if (!(await more())) throw malformedMultipart('it ends in a boundary')
    if (buffer.toString('latin1', 0, 2) === '--') return passOverEpilogue()
    isInPart = true
    return parsePartHeaders(await takeTo('\r\n\r\n', 'the end of the headers of a part'))
  }

  const passOverEpilogue = async (): Promise<undefined> => {
    for (let size = buffer.length; ; size += buffer.length) {
      if (size > maxHeaderBytes)
        throw malformedMultipart(
          `it has more than ${maxHeaderBytes} bytes behind its last boundary`,
        )
      buffer = Buffer.alloc(0)
      if (!(await more())) return undefined
    }
  }

  return {
    async nextPart() {
      if (isOver) return undefined
      if (isInPart) for await (const _ of partBytes());
      else if (!hasBegun) await takeTo(delimiter, 'its first boundary')
      hasBegun = true
      return headersOrEnd()
    },
    partBytes,
    async cancel() {
      await chunks.return?.()
    },
  }
}

function parsePartHeaders(block: Buffer): PartHeaders {
  const [padding, ...lines] = block.toString('latin1').split('\r\n')
  if (!/^[\t ]*$/.test(padding!)) throw malformedMultipart('something stands behind a boundary')
  const headers = new Map<string, string>()
  for (const line of lines) {
    const [, name, value] = headerLinePattern.exec(line) ?? []
    if (name === undefined || value === undefined)
      throw malformedMultipart('a line of the head of a part is no header')
    if (headers.has(name.toLowerCase()))
      throw malformedMultipart(`a part has the header ${truncate(name, 100)} more than once`)
    headers.set(name.toLowerCase(), value)
  }
  return headers
}

function malformedMultipart(what: string): ApiError {
  return createApiError('malformed-multipart', `The form cannot be taken apart: ${what}.`)
}
