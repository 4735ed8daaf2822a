import type { ServerResponse } from 'node:http'
import { registerStream } from '../concurrency/stream-budget.ts'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import { freeBytes, ownBytes } from '../http/owned-bytes.ts'
import { type SendContext, watchReader } from './node-watch-reader.ts'
import { type Chunk, closeChunks, lengthChecker, type StreamBody } from './stream-body.ts'

/** The longest time that a stream writes without yielding to the event loop. */
const sliceMs = 5

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
  res.once('close', closeEarly)
  try {
    let next = await iterator.next()
    check(next)
    if (isOpen) res.writeHead(status, head)
    let sliceEnd = performance.now() + sliceMs
    while (isOpen && !next.done) {
      if (!writeChunk(res, next.value)) {
        watchReader(res, context)
        await waitForDrain(res)
      }
      if (performance.now() > sliceEnd) {
        await yieldToEventLoop()
        sliceEnd = performance.now() + sliceMs
      }
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

function writeChunk(res: ServerResponse, chunk: Chunk): boolean {
  const bytes =
    typeof chunk === 'string' && chunk.length >= longTextCharacters
      ? ownBytes(Buffer.from(chunk))
      : chunk
  if (typeof bytes === 'string') return res.write(bytes)
  return res.write(bytes, (error) => {
    // After an error, the system may still use the bytes.
    if (!error) freeBytes(bytes)
  })
}

function waitForDrain(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    res.on('drain', settle).on('close', settle)
    function settle(): void {
      res.off('drain', settle).off('close', settle)
      resolve()
    }
  })
}

/** The end of the connection completes an HTTP/1.0 response, so only a reset shows the error. */
function destroyConnection({ req }: ServerResponse): void {
  if (req.httpVersionMinor === 0) req.socket.resetAndDestroy()
  else req.socket.destroy()
}
