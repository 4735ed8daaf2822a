import type { ResponseBody } from './api-response.ts'

/**
 * Closes the stream of a body that is not sent: it may hold rows or files open before its first
 * chunk is asked for.
 */
export async function closeBody(body: ResponseBody): Promise<void> {
  if (body.kind === 'stream') await closeStream(body.chunks)
}

/**
 * Closes the streams of a value that was to be a response, but is none: it is such a stream, has
 * one as its body, or a body that is read from one.
 */
export async function closeStreamsOf(value: unknown): Promise<void> {
  const body = memberOf(value, 'body')
  await Promise.all([value, body, memberOf(body, 'chunks')].filter(isStream).map(closeStream))
}

/** A stream of Node.js that nobody has read from yet is not closed by its iterator. */
async function closeStream(stream: AsyncIterable<unknown>): Promise<void> {
  const destroy = memberOf(stream, 'destroy')
  if (typeof destroy === 'function') destroy.call(stream)
  else await stream[Symbol.asyncIterator]().return?.()
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[name]
    : undefined
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}
