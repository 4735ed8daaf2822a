import { refuse } from '../error/api-error.ts'
import type { RequestBody } from '../http/api-request.ts'
import { bodyTooLarge } from './body-too-large.ts'

/** The body of a web request, if it has one. */
export function fetchBody(request: Request): RequestBody | undefined {
  const { body } = request
  if (body === null) return undefined
  return {
    bytes(limit) {
      const whole = readWhole(request, body, limit)
      // Who asks and then does not wait must not bring the process down when the client leaves.
      whole.catch(() => {})
      return whole
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
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of readChunks(body)) {
    size += part.byteLength
    if (size > limit) throw bodyTooLarge(limit)
    parts.push(part)
  }
  return parts.length === 1 ? parts[0]! : Buffer.concat(parts, size)
}

async function* readChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(connectionLost)
      if (done) return
      yield value
    }
  } finally {
    // Whoever stops early wants no more of it; after the end this does nothing.
    reader.cancel().catch(() => {})
  }
}

function connectionLost(): never {
  throw refuse('malformed-request', 'The connection ended before the body did.')
}
