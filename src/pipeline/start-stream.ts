import type { Context } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'

/**
 * Waits for the first chunk of the stream, so that an earlier failure becomes an error response in
 * the format of the rule, and is reported once. A response to HEAD waits too, so that it has the
 * status of GET (RFC 9110 §9.3.2), unless it has the length of stored bytes.
 */
export async function startStream(
  response: ApiResponse,
  { request, signal }: Context,
): Promise<ApiResponse> {
  const { body } = response
  if (body.kind !== 'stream') return response
  if (request.method === 'HEAD' && body.length !== undefined) return response
  const iterator = body.chunks[Symbol.asyncIterator]()
  const closeIterator = () => void iterator.return?.().catch(() => undefined)
  signal.addEventListener('abort', closeIterator, { once: true })
  let first: IteratorResult<string | Uint8Array> | undefined
  try {
    first = await iterator.next()
  } catch (error) {
    closeIterator()
    throw error
  } finally {
    signal.removeEventListener('abort', closeIterator)
  }
  const chunks = {
    // Thousands of streams may wait, so a chunk costs no promise but that of the iterator.
    next: () => {
      if (!first) return iterator.next()
      const next = Promise.resolve(first)
      first = undefined
      return next
    },
    return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
  }
  return { ...response, body: { ...body, chunks: { [Symbol.asyncIterator]: () => chunks } } }
}
