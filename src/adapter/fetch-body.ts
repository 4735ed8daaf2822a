import type { RequestBody } from '../http/api-request.ts'
import { bodyTooLarge } from './body-too-large.ts'
import { connectionLost } from './connection-lost.ts'
import { wholeBody } from './whole-body.ts'

/** The body of a web request, if it has one. */
export function fetchBody(request: Request): RequestBody | undefined {
  const { body } = request
  if (body === null) return undefined
  return {
    bytes(limit) {
      const bytes = readWhole(request, body, limit)
      // Prevents an unhandled rejection if the caller does not await the bytes.
      bytes.catch(() => {})
      return bytes
    },
    stream: () => readChunks(body),
  }
}

async function readWhole(
  request: Request,
  body: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Uint8Array> {
  if (Number(request.headers.get('content-length')) > limit) throw bodyTooLarge(limit)
  return wholeBody((signal) => readChunks(body, signal), limit)
}

async function* readChunks(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  signal?.addEventListener('abort', () => void reader.cancel().catch(() => {}), { once: true })
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw connectionLost()
      })
      if (done) return
      yield value
    }
  } finally {
    // Cancels the rest of the body if the caller stops early.
    reader.cancel().catch(() => {})
  }
}
