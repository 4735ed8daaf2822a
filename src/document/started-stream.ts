import { isClientAbort } from '../context/client-abort.ts'
import type { Context } from '../context/context.ts'
import type { Chunk } from '../http/chunk.ts'
import type { DocumentServices } from './document-services.ts'

/**
 * The chunks of a response whose source is being read already. If they are closed, also before the
 * first one is asked for, the reading stops. A generator that has not started does not run its
 * `finally`, so the source would stay open.
 * @param stopReading called at the end, possibly more than once
 * @param onError called with an error after the first chunk
 */
export function closableChunks(
  chunks: AsyncGenerator<Chunk>,
  stopReading: () => Promise<unknown>,
  onError?: (error: unknown) => void,
): AsyncIterable<Chunk> {
  let hasStarted = false
  const close = async (): Promise<void> => {
    await stopReading()
    await chunks.return(undefined)
  }
  const iterator: AsyncIterator<Chunk> = {
    next: async () => {
      try {
        const next = await chunks.next()
        if (next.done) await close()
        else hasStarted = true
        return next
      } catch (error) {
        if (hasStarted) onError?.(error)
        await close()
        throw error
      }
    },
    return: async () => {
      await close()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

/**
 * The same, and reports an error after the first chunk: the response is partly sent then, so the
 * host only closes the connection. An earlier error becomes the response, and is reported with it.
 */
export function startedStream(
  { services, context }: { readonly services: DocumentServices; readonly context: Context },
  chunks: AsyncGenerator<Chunk>,
  stopReading: () => Promise<unknown>,
): AsyncIterable<Chunk> {
  return closableChunks(chunks, stopReading, (error) => {
    if (!isClientAbort(error, context)) services.onError(error, context)
  })
}
