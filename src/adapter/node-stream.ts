import type { ServerResponse } from 'node:http'
import { freeBytes, ownBytes } from '../cache/owned-bytes.ts'
import { fairTurn } from '../store/fair-turn.ts'
import { openStream } from '../store/open-streams.ts'
import { type Chunk, closeChunks, lengthCheck, type StreamBody } from './chunks.ts'
import { type Delivery, watchReader } from './node-delivery.ts'

/** How long a stream may write without a pause while its client keeps up and other requests wait. */
const sliceMs = 5

/**
 * Pulls a stream as fast as the client reads. The head goes out with the first chunk, so a stream that fails before
 * it rejects and can still be answered properly. One that fails later is cut, never ended as if it were whole.
 */
export async function sendStream(
  res: ServerResponse,
  status: number,
  head: string[],
  { chunks, length }: StreamBody,
  delivery: Delivery,
): Promise<void> {
  const iterator = chunks[Symbol.asyncIterator]()
  const check = lengthCheck(length)
  const endStream = openStream()
  let open = true
  res.once('close', leave)
  try {
    let next = await iterator.next()
    check(next)
    if (open) res.writeHead(status, head)
    let sliceEnd = performance.now() + sliceMs
    while (open && !next.done) {
      if (!write(res, next.value)) {
        watchReader(res, delivery)
        await drained(res)
      }
      if (performance.now() > sliceEnd) {
        await fairTurn()
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
    cut(res)
    delivery.report(error)
  } finally {
    endStream()
    res.off('close', leave)
  }

  function leave(): void {
    if (open) void closeChunks(iterator, delivery.report)
    open = false
  }
}

/** Texts that are as long as this are encoded here: Node would hold both the text and its bytes until it is sent. */
const longText = 16_384

function write(res: ServerResponse, chunk: Chunk): boolean {
  const bytes = typeof chunk === 'string' && chunk.length >= longText ? ownBytes(Buffer.from(chunk)) : chunk
  if (typeof bytes === 'string') return res.write(bytes)
  return res.write(bytes, (error) => {
    // Where the connection is gone, the system may not be done with them yet.
    if (!error) freeBytes(bytes)
  })
}

function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    res.on('drain', done).on('close', done)
    function done(): void {
      res.off('drain', done).off('close', done)
      resolve()
    }
  })
}

/** An HTTP/1.0 answer ends with its connection, so only a reset says that it is not whole. */
function cut({ req }: ServerResponse): void {
  if (req.httpVersionMinor === 0) req.socket.resetAndDestroy()
  else req.socket.destroy()
}
