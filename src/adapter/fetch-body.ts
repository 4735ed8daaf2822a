import type { RequestBody } from '../http/api-request.ts'
import { bodyTooLarge } from './body-too-large.ts'
import { connectionLost } from './connection-lost.ts'

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
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of readChunks(body)) {
    size += chunk.byteLength
    if (size > limit) throw bodyTooLarge(limit)
    chunks.push(chunk)
  }
  return chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size)
}

async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
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
