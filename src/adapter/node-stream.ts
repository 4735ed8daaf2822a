import type { ServerResponse } from 'node:http'
import { registerStream } from '../concurrency/stream-budget.ts'
import { isEventLoopBusy, yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import type { Chunk } from '../http/chunk.ts'
import { freeBytes, ownBytes } from '../http/owned-bytes.ts'
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
  const waitForDrain = drainWaiter(res)
  res.once('close', closeEarly)
  try {
    let next = await iterator.next()
    check(next)
    if (isOpen) writeHead(res, status, head, context)
    while (isOpen && !next.done) {
      if (!writeChunk(res, next.value, context)) {
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

/** Longer texts are encoded here; Node would keep both the text and its bytes until it is sent. */
const longTextCharacters = 16_384

/** Returns false to ask for a pause. A function of a framework may return nothing: no pause. */
function writeChunk(res: ServerResponse, chunk: Chunk, { host }: SendContext): boolean {
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
function drainWaiter(res: ServerResponse): () => Promise<void> {
  let isListening = false
  let settle: (() => void) | undefined
  const onDrain = () => settle?.()
  return () => {
    if (!isListening) res.on('drain', onDrain).on('close', onDrain)
    isListening = true
    return new Promise((resolve) => {
      settle = resolve
    })
  }
}

/** The end of the connection completes an HTTP/1.0 response, so only a reset shows the error. */
function destroyConnection(res: ServerResponse): void {
  const { httpVersionMinor, socket } = res.req
  if (!isConnection(socket)) res.destroy()
  else if (httpVersionMinor === 0) socket.resetAndDestroy()
  else socket.destroy()
}
