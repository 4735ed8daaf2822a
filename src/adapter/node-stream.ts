import type { ServerResponse } from 'node:http'
import { registerStream } from '../concurrency/stream-budget.ts'
import { isEventLoopBusy, yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import { type Chunk, longTextCharacters } from '../http/chunk.ts'
import { freeBytes, ownBytes } from '../http/owned-bytes.ts'
import { framedChunk } from '../http/shared-chunk.ts'
import { writeHead } from './node-head.ts'
import { isConnection } from './node-signal.ts'
import { type SendContext, watchReader } from './node-watch-reader.ts'
import { closeChunks, lengthChecker, type StreamBody } from './stream-body.ts'

/**
 * Sends a stream with backpressure. The head is sent with the first chunk, so that an earlier error
 * can still become an error response. A later error destroys the connection, so that the client
 * notices the incomplete body.
 */
export async function sendStream(
  res: ServerResponse,
  status: number,
  head: string[],
  { chunks, length }: StreamBody,
  context: SendContext,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  const check = lengthChecker(length)
  const endStream = registerStream()
  let isOpen = true
  const waitForDrain = drainWaiter(res, context)
  const write = chunkWriter(res, context)
  res.once('close', closeEarly)
  try {
    let next = await iterator.next()
    check(next)
    if (isOpen) writeHead(res, status, head, context)
    while (isOpen && !next.done) {
      if (!write(next.value)) {
        watchReader(res, context)
        await waitForDrain()
      }
      // A stream that waits for its next chunk does no work, and need not queue behind others.
      if (isEventLoopBusy()) await yieldToEventLoop()
      if (!isOpen) break
      next = await iterator.next()
      check(next)
    }
    if (isOpen) res.end()
    isOpen = false
    watchReader(res, context)
  } catch (error) {
    if (!isOpen) return
    closeEarly()
    if (!res.headersSent) throw error
    destroyConnection(res)
    context.onError(error)
  } finally {
    endStream()
    res.off('close', closeEarly)
  }

  function closeEarly(): void {
    if (isOpen) void closeChunks(iterator, context.onError)
    isOpen = false
  }
}

/**
 * The function returns false to ask for a pause. What many responses send goes to the socket in one
 * piece; `write` of a response makes four of it. The first chunk takes the head with it.
 */
function chunkWriter(res: ServerResponse, context: SendContext): (chunk: Chunk) => boolean {
  let isHeadSent = false
  return (chunk) => {
    const framed = isHeadSent && context.host === 'own' && res.chunkedEncoding && framedChunk(chunk)
    isHeadSent = true
    // After its end, and without a socket, the response keeps what it gets.
    return framed && res.socket?.writable
      ? res.socket.write(framed)
      : writeChunk(res, chunk, context)
  }
}

/** A function of a framework may return nothing: no pause. */
function writeChunk(res: ServerResponse, chunk: Chunk, { host }: SendContext): boolean {
  // Node would keep both a long text and its bytes until it is sent.
  const bytes =
    typeof chunk === 'string' && chunk.length >= longTextCharacters
      ? ownBytes(Buffer.from(chunk))
      : chunk
  if (typeof bytes === 'string' || host === 'framework') return res.write(bytes) !== false
  return res.write(bytes, (error) => {
    // After an error, the system may still use the bytes.
    if (!error) freeBytes(bytes)
  })
}

/**
 * Waits until the client has read enough. It listens once for all waits: middleware that compresses
 * passes such listeners on, and cannot remove them again.
 */
function drainWaiter(res: ServerResponse, { host }: SendContext): () => Promise<void> {
  let isListening = false
  let settle: (() => void) | undefined
  const onDrain = () => settle?.()
  return () => {
    if (!isListening) {
      res.on('drain', onDrain).on('close', onDrain)
      if (host === 'own') listenToSocket(res, onDrain)
    }
    isListening = true
    return new Promise((resolve) => {
      settle = resolve
    })
  }
}

/** A response that did not write a chunk itself does not know that its socket is full. */
function listenToSocket(res: ServerResponse, onDrain: () => void): void {
  const { socket } = res
  if (!socket) return
  socket.on('drain', onDrain)
  res.once('close', () => socket.off('drain', onDrain))
}

/** The end of the connection completes an HTTP/1.0 response, so only a reset shows the error. */
function destroyConnection(res: ServerResponse): void {
  const { httpVersionMinor, socket } = res.req
  if (!isConnection(socket)) res.destroy()
  else if (httpVersionMinor === 0) socket.resetAndDestroy()
  else socket.destroy()
}
