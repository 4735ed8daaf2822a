import type { Context } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'

/**
 * The response once the first chunk of its stream is at hand: what fails before it is answered as
 * any other error is, in the form of the rule and reported once. Hosts know neither.
 */
export async function startStream(
  response: ApiResponse,
  { request, signal }: Context,
): Promise<ApiResponse> {
  const { body } = response
  if (body.kind !== 'stream' || request.method === 'HEAD') return response
  const iterator = body.chunks[Symbol.asyncIterator]()
  const leave = () => void iterator.return?.().catch(() => undefined)
  signal.addEventListener('abort', leave, { once: true })
  let first: IteratorResult<string | Uint8Array> | undefined
  try {
    first = await iterator.next()
  } catch (error) {
    leave()
    throw error
  } finally {
    signal.removeEventListener('abort', leave)
  }
  const chunks = {
    next: async () => {
      const next = first ?? iterator.next()
      first = undefined
      return next
    },
    return: async () => (await iterator.return?.()) ?? { done: true as const, value: undefined },
  }
  return { ...response, body: { ...body, chunks: { [Symbol.asyncIterator]: () => chunks } } }
}
