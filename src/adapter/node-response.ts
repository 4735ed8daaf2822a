import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import { isChunked } from './node-request.ts'
import { sendStream } from './node-stream.ts'
import { discardBody } from './node-wait-for-data.ts'
import { type SendContext, watchReader } from './node-watch-reader.ts'
import { checkSendable, contentLength, isBodyless, isFramingHeader } from './response-head.ts'
import { closeUnsentBody } from './stream-body.ts'

/**
 * A body that nobody wanted is read and forgotten up to this size, so that its connection can go
 * on.
 */
const maxReusableBodyBytes = 64 * 1024

/**
 * How much is read of a larger one, for the sake of clients that look at the answer only when all
 * is sent.
 */
const maxDiscardedBytes = 1024 * 1024
const discardTimeoutMs = 1_000

/**
 * Where such a request ends is a matter of opinion, and what follows it could be a part of it (RFC
 * 9112 §6.1).
 */
function isFaultilyFramed({ headers, httpVersionMinor }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && (httpVersionMinor === 0 || !isChunked(coding))
}

/** Is so much of the request still under way that its connection had better end with the answer? */
export function mustCloseConnection(req: IncomingMessage, response: ApiResponse): boolean {
  if (isFaultilyFramed(req)) return true
  if (req.complete) return false
  const declared = req.headers['content-length']
  return (
    declared === undefined ||
    Number(declared) > maxReusableBodyBytes ||
    response.body.kind === 'stream'
  )
}

/**
 * Sends the answer to `res.req`; with `close`, as the last one on its connection.
 * @throws while nothing has been sent, when the answer cannot be: another may take its place.
 */
export function sendResponse(
  res: ServerResponse,
  response: ApiResponse,
  close: boolean,
  delivery: SendContext,
): Promise<void> | undefined {
  const { method = '' } = res.req
  const { status, body } = response
  checkSendable(response)
  const head = headerLines(response, contentLength(method, response), close)
  const bodyless = isBodyless(method, status)
  if (body.kind === 'stream' && !bodyless) {
    if (!res.req.complete) void discardBody(res.req, maxDiscardedBytes, discardTimeoutMs)
    return sendStream(res, status, head, body, delivery)
  }
  if (bodyless) closeUnsentBody(response, delivery.onError)
  const parts = bodyless ? [] : bodyChunks(body)
  // What lies in several places leaves in one packet with its head.
  if (parts.length > 1) res.cork()
  res.writeHead(status, head)
  for (const part of parts.slice(0, -1)) res.write(part)
  const last = parts.at(-1)
  if (!res.req.complete) return endAfterBody(res, last, close, delivery)
  res.end(last)
  watchReader(res, delivery)
  return undefined
}

/** What is sent whole. */
function bodyChunks(body: ResponseBody): readonly (string | Uint8Array)[] {
  switch (body.kind) {
    case 'text':
      return [body.text]
    case 'bytes':
      return [body.bytes]
    case 'buffers':
      return body.buffers
    default:
      return []
  }
}

/** Name, value, name, value: the form Node writes fastest. */
function headerLines(
  { headers }: ApiResponse,
  length: string | undefined,
  close: boolean,
): string[] {
  const lines: string[] = []
  for (const name in headers) {
    if (isFramingHeader(name)) continue
    const value = headers[name]!
    if (typeof value === 'string') lines.push(name, value)
    else for (const one of value) lines.push(name, one)
  }
  if (length !== undefined) lines.push('content-length', length)
  if (close) lines.push('connection', 'close')
  return lines
}

/**
 * Until the request's last byte is read, the next byte on the connection is not the next request's
 * first.
 */
async function endAfterBody(
  res: ServerResponse,
  content: string | Uint8Array | undefined,
  close: boolean,
  delivery: SendContext,
): Promise<void> {
  if (content === undefined) res.flushHeaders()
  else res.write(content)
  if (res.writableCorked > 0) res.uncork()
  watchReader(res, delivery)
  const clean = await discardBody(res.req, maxDiscardedBytes, discardTimeoutMs)
  if (clean || close) res.end()
  else res.req.socket.destroy()
}
