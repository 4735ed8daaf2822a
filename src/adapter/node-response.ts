import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ApiResponse } from '../http/api-response.ts'
import { bodyChunks, type Chunk } from '../http/chunk.ts'
import { isBodyStreamed } from './node-body.ts'
import { headerLines, writeHead } from './node-head.ts'
import { isChunked } from './node-request.ts'
import { sendStream } from './node-stream.ts'
import { discardBody } from './node-wait-for-data.ts'
import { type SendContext, watchReader } from './node-watch-reader.ts'
import { checkHeaders, checkStatusAndBody, contentLength, isBodyless } from './response-head.ts'
import { closeUnsentBody } from './stream-body.ts'

/** An unread request body up to this size is discarded, so that the connection stays open. */
const maxReusableBodyBytes = 64 * 1024

/** For clients that read the response only after sending everything, so much is discarded. */
const maxDiscardedBytes = 1024 * 1024
const discardTimeoutMs = 1_000

/**
 * The end of such a request is ambiguous, so the following bytes may belong to it (RFC 9112 §6.1).
 */
function isFaultilyFramed({ headers, httpVersionMinor }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding']
  return coding !== undefined && (httpVersionMinor === 0 || !isChunked(coding))
}

/** Must the connection close because too much of the request is not read yet? */
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
 * Sends the response; with `close`, as the last one of its connection.
 * @throws before anything is sent, so that an error response is still possible
 */
export function sendResponse(
  res: ServerResponse,
  response: ApiResponse,
  close: boolean,
  context: SendContext,
): Promise<void> | undefined {
  const { method = '' } = res.req
  const { status, body } = response
  checkStatusAndBody(response)
  const bodyless = isBodyless(method, status)
  if (body.kind === 'stream' && !bodyless) {
    checkHeaders(response)
    const head = headerLines(response, contentLength(method, response), close)
    if (res.req.complete) return sendStream(res, status, head, body, context)
    if (isBodyStreamed(res.req)) {
      const chunks = thenDiscardBody(body.chunks, res.req)
      return sendStream(res, status, head, { ...body, chunks }, context)
    }
    void discardBody(res.req, maxDiscardedBytes, discardTimeoutMs)
    return sendStream(res, status, head, body, context)
  }
  if (bodyless) closeUnsentBody(response, context.onError)
  const chunks = bodyless || body.kind === 'stream' ? [] : bodyChunks(body)
  // Once Node has seen such a status, it sends no body of an error response either.
  if (context.host === 'framework' || status === 204 || status === 304) checkHeaders(response)
  try {
    const lines = headerLines(response, contentLength(method, response), close)
    writeHead(res, status, lines, context)
  } catch (error) {
    // Node has checked the headers, with less to say of them.
    checkHeaders(response)
    throw error
  }
  // Sends several chunks in one packet with the head.
  if (chunks.length > 1) res.cork()
  for (const chunk of chunks.slice(0, -1)) res.write(chunk)
  const last = chunks.at(-1)
  if (!res.req.complete) return endAfterBody(res, last, close, context)
  res.end(last)
  watchReader(res, context)
  return undefined
}

/** The chunks read the body while they are sent. The rest is read before the end. */
async function* thenDiscardBody(
  chunks: AsyncIterable<Chunk>,
  req: IncomingMessage,
): AsyncGenerator<Chunk, void> {
  yield* chunks
  if (!req.complete) await discardBody(req, maxDiscardedBytes, discardTimeoutMs)
}

/**
 * Reads the rest of the request before it ends the response, so that the next request can follow.
 */
async function endAfterBody(
  res: ServerResponse,
  content: string | Uint8Array | undefined,
  close: boolean,
  context: SendContext,
): Promise<void> {
  if (content === undefined) res.flushHeaders()
  else res.write(content)
  if (res.writableCorked > 0) res.uncork()
  watchReader(res, context)
  const isBodyRead = await discardBody(res.req, maxDiscardedBytes, discardTimeoutMs)
  if (isBodyRead || close) res.end()
  else res.req.socket.destroy()
}
