import type { ResponseBody } from './api-response.ts'

/** Closes the stream of a body that is not sent: it may hold rows or files open before its first chunk is asked for. */
export async function closeBody(body: ResponseBody): Promise<void> {
  if (body.kind === 'stream') await body.chunks[Symbol.asyncIterator]().return?.()
}
