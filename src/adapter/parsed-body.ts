import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { RequestBody } from '../http/api-request.ts'
import { oneChunk } from '../http/chunk.ts'
import { formatQuery } from '../http/query-string.ts'
import { bodyTooLarge } from './body-too-large.ts'

/** A body that the framework has read, with headers that fit it. */
export interface ParsedBody {
  readonly headers: IncomingHttpHeaders
  readonly body: RequestBody
}

/**
 * The body of a request that its framework has read already; undefined if it is still to be read.
 *
 * @param value what the framework made of the body: `req.body`
 */
export function parsedBody(
  req: IncomingMessage,
  headers: IncomingHttpHeaders,
  value: unknown,
): ParsedBody | undefined {
  if (!hasBody(headers) || !req.readableDidRead) return undefined
  const bytes = bytesOf(req, headers['content-type'] ?? '', value)
  // The framework has decoded the body.
  const { 'content-encoding': _, 'transfer-encoding': __, ...others } = headers
  return bytes === undefined
    ? { headers, body: lostBody }
    : { headers: { ...others, 'content-length': String(bytes.byteLength) }, body: bodyOf(bytes) }
}

function hasBody(headers: IncomingHttpHeaders): boolean {
  return headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
}

/** Undefined if the bytes cannot be made again. */
function bytesOf(
  { method }: IncomingMessage,
  contentType: string,
  value: unknown,
): Uint8Array | undefined {
  if (value instanceof Uint8Array) return value
  // A JSON string could be meant, too: no operation takes one.
  if (typeof value === 'string') return Buffer.from(value)
  if (value === undefined) return undefined
  if (/^[^;]*[/+]json\s*(?:;|$)/i.test(contentType)) return Buffer.from(JSON.stringify(value))
  // Not for uploads, whose bytes would be others.
  return method === 'QUERY' && /^application\/x-www-form-urlencoded\s*(?:;|$)/i.test(contentType)
    ? Buffer.from(formatQuery(formEntries('', value)))
    : undefined
}

/**
 * The names and values of a parsed form. Parsers make objects of brackets in names, and arrays of
 * repeated names.
 */
function formEntries(name: string, value: unknown): readonly (readonly [string, string])[] {
  if (Array.isArray(value)) return value.flatMap((entry) => formEntries(name, entry))
  if (typeof value !== 'object' || value === null) return [[name, String(value)]]
  return Object.entries(value).flatMap(([member, entry]) =>
    formEntries(name === '' ? member : `${name}[${member}]`, entry),
  )
}

function bodyOf(bytes: Uint8Array): RequestBody {
  return {
    bytes: async (limit) => {
      if (bytes.byteLength > limit) throw bodyTooLarge(limit)
      return bytes
    },
    stream: () => oneChunk(bytes),
  }
}

/** Fails when an operation needs the body: a client alone cannot cause it where none does. */
const lostBody: RequestBody = {
  bytes: async () => {
    throw bodyLost()
  },
  // biome-ignore lint/correctness/useYield: it fails before the first chunk
  async *stream() {
    throw bodyLost()
  },
}

function bodyLost(): Error {
  return new Error(
    "The body of the request was read before nodeHandler() was called, and 'req.body' does not hold its bytes. Register nodeHandler() before the middleware that reads bodies of this media type.",
  )
}
