import type { Chunk } from '../http/chunk.ts'
import { framedChunk } from '../http/shared-chunk.ts'
import type { ErrorReporter } from './error-reporter.ts'
import { closeChunks, lengthChecker, type StreamBody } from './stream-body.ts'

/** What becomes of a body that is streamed. */
export interface StreamProgress {
  /** Called with the size of each chunk before it is sent. */
  sending(bytes: number): void
  /** Called once, with whether the whole body was sent. */
  ended(isFinished: boolean): void
}

/**
 * Converts a stream body to a web stream, with backpressure, which closes the body when its reader
 * cancels. It resolves after the first chunk, so that an earlier error can still become an error
 * response.
 */
export async function fetchStream(
  { chunks, length }: StreamBody,
  signal: AbortSignal,
  report: ErrorReporter,
  progress?: StreamProgress,
): Promise<ReadableStream<Uint8Array>> {
  const iterator = chunks[Symbol.asyncIterator]()
  const check = lengthChecker(length)
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let isOpen = true
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()

  let first: IteratorResult<Chunk> | undefined = await pull()
  return new ReadableStream<Uint8Array>(
    {
      start(itself) {
        controller = itself
        if (!isOpen) abort()
      },
      async pull(itself) {
        const next = first ?? (await pull())
        first = undefined
        if (!isOpen) return
        if (!next.done) {
          const bytes = bytesOf(next.value)
          progress?.sending(bytes.length)
          return itself.enqueue(bytes)
        }
        finish(true)
        itself.close()
      },
      cancel: closeEarly,
    },
    // Pulls only when the reader does.
    { highWaterMark: 0 },
  )

  async function pull(): Promise<IteratorResult<Chunk>> {
    try {
      const next = await iterator.next()
      check(next)
      return next
    } catch (error) {
      // After the head is sent, the client sees a broken stream only, so the error is reported.
      if (isOpen && controller !== undefined) report(error)
      closeEarly()
      throw error
    }
  }

  function abort(): void {
    closeEarly()
    controller?.error(signal.reason)
  }

  function closeEarly(): void {
    if (!isOpen) return
    finish(false)
    void closeChunks(iterator, report)
  }

  function finish(isFinished: boolean): void {
    isOpen = false
    progress?.ended(isFinished)
    signal.removeEventListener('abort', abort)
  }
}

const encoder = new TextEncoder()

/** The reader may change or transfer what it gets, so what others get too is copied. */
function bytesOf(chunk: Chunk): Uint8Array {
  if (typeof chunk === 'string') return encoder.encode(chunk)
  return framedChunk(chunk) ? new Uint8Array(chunk) : chunk
}
