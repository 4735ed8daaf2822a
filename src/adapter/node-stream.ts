import type { ServerResponse } from 'node:http'
import { registerStream } from '../concurrency/stream-budget.ts'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import { freeBytes, ownBytes } from '../http/owned-bytes.ts'
import { type SendContext, watchReader } from './node-watch-reader.ts'
import { type Chunk, closeChunks, lengthChecker, type StreamBody } from './stream-body.ts'

/**
 * How long a stream may write without a pause while its client keeps up and other requests wait.
 */
const sliceMs = 5

/**
 * Pulls a stream as fast as the client reads. The head goes out with the first chunk, so a stream
 * that fails before it rejects and can still be answered properly. One that fails later is cut,
 * never ended as if it were whole.
 */
export async function sendStream(
  res: ServerResponse,
  status: number,
  head: string[],
  { chunks, length }: StreamBody,
  delivery: SendContext,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  const check = lengthChecker(length)
  const endStream = registerStream()
  let open = true
  res.once('close', leave)
  try {
    let next = await iterator.next()
    check(next)
    if (open) res.writeHead(status, head)
    let sliceEnd = performance.now() + sliceMs
    while (open && !next.done) {
      if (!writeChunk(res, next.value)) {
        watchReader(res, delivery)
        await waitForDrain(res)
      }
      if (performance.now() > sliceEnd) {
        await yieldToEventLoop()
        sliceEnd = performance.now() + sliceMs
      }
      if (!open) break
      next = await iterator.next()
      check(next)
    }
    if (open) res.end()
    open = false
    watchReader(res, delivery)
  } catch (error) {
    if (!open) return
    leave()
    if (!res.headersSent) throw error
    destroyConnection(res)
    delivery.onError(error)
  } finally {
    endStream()
    res.off('close', leave)
  }

  function leave(): void {
    if (open) void closeChunks(iterator, delivery.onError)
    open = false
  }
}

/**
 * Texts that are as long as this are encoded here: Node would hold both the text and its bytes
 * until it is sent.
 */
const longTextCharacters = 16_384

function writeChunk(res: ServerResponse, chunk: Chunk): boolean {
  const bytes =
    typeof chunk === 'string' && chunk.length >= longTextCharacters
      ? ownBytes(Buffer.from(chunk))
      : chunk
  if (typeof bytes === 'string') return res.write(bytes)
  return res.write(bytes, (error) => {
    // Where the connection is gone, the system may not be done with them yet.
    if (!error) freeBytes(bytes)
  })
}

function waitForDrain(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    res.on('drain', done).on('close', done)
    function done(): void {
      res.off('drain', done).off('close', done)
      resolve()
    }
  })
}

/** An HTTP/1.0 answer ends with its connection, so only a reset says that it is not whole. */
function destroyConnection({ req }: ServerResponse): void {
  if (req.httpVersionMinor === 0) req.socket.resetAndDestroy()
  else req.socket.destroy()
}
