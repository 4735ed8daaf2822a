import type { ErrorReporter } from './error-reporter.ts'
import { type Chunk, closeChunks, lengthChecker, type StreamBody } from './stream-body.ts'

/**
 * A stream body as a web stream that is pulled as fast as it is read and closed when its reader
 * leaves. Resolves with the first chunk at hand: a stream that fails before it rejects, and can
 * still be answered properly.
 */
export async function fetchStream(
  { chunks, length }: StreamBody,
  signal: AbortSignal,
  report: ErrorReporter,
): Promise<ReadableStream<Uint8Array>> {
  const iterator = chunks[Symbol.asyncIterator]()
  const check = lengthChecker(length)
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let open = true
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()

  let waiting: IteratorResult<Chunk> | undefined = await pull()
  return new ReadableStream<Uint8Array>(
    {
      start(itself) {
        controller = itself
        if (!open) abort()
      },
      async pull(itself) {
        const next = waiting ?? (await pull())
        waiting = undefined
        if (!open) return
        if (!next.done) return itself.enqueue(bytesOf(next.value))
        done()
        itself.close()
      },
      cancel: leave,
    },
    // Nothing is made before somebody reads it.
    { highWaterMark: 0 },
  )

  async function pull(): Promise<IteratorResult<Chunk>> {
    try {
      const next = await iterator.next()
      check(next)
      return next
    } catch (error) {
      // Once the head is out, the reader sees the fault as a broken stream, and nobody else hears
      // of it.
      if (open && controller !== undefined) report(error)
      leave()
      throw error
    }
  }

  function abort(): void {
    leave()
    controller?.error(signal.reason)
  }

  function leave(): void {
    if (!open) return
    done()
    void closeChunks(iterator, report)
  }

  function done(): void {
    open = false
    signal.removeEventListener('abort', abort)
  }
}

const encoder = new TextEncoder()

function bytesOf(chunk: Chunk): Uint8Array {
  return typeof chunk === 'string' ? encoder.encode(chunk) : chunk
}
