import type { ResponseBody } from './api-response.ts'

/** Closes the stream of a body that is not sent. It may already have open files or statements. */
export async function closeBody(body: ResponseBody): Promise<void> {
  if (body.kind === 'stream') await closeStream(body.chunks)
}

/**
 * Closes the streams of a value that a hook or an action returned, but that is not a valid
 * response: the value itself, its body, or the chunks of its body.
 */
export async function closeStreamsOf(value: unknown): Promise<void> {
  const body = memberOf(value, 'body')
  await Promise.all([value, body, memberOf(body, 'chunks')].filter(isStream).map(closeStream))
}

/** The iterator of a Node.js stream does not close it before the first read. */
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
