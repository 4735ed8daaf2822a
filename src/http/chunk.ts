import type { ResponseBody } from './api-response.ts'

/** A part of the content of a response. A text is sent in UTF-8. */
export type Chunk = string | Uint8Array

/** Whoever sends so long a text frees its bytes after it, see `ownBytes`. */
export const longTextCharacters = 16_384

export function byteLengthOf(chunk: Chunk): number {
  return typeof chunk === 'string' ? Buffer.byteLength(chunk) : chunk.byteLength
}

export function toBytes(chunk: Chunk): Uint8Array {
  return typeof chunk === 'string' ? Buffer.from(chunk) : chunk
}

/** The chunks of a body that is not a stream. */
export function bodyChunks(body: Exclude<ResponseBody, { kind: 'stream' }>): readonly Chunk[] {
  switch (body.kind) {
    case 'text':
      return [body.text]
    case 'bytes':
      return [body.bytes]
    case 'buffers':
      return body.buffers
    case 'empty':
      return []
  }
}

/** A stream of one chunk. */
export async function* oneChunk<T extends Chunk>(chunk: T): AsyncGenerator<T, void> {
  yield chunk
}
