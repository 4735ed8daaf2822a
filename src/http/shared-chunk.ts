import { type Chunk, longTextCharacters } from './chunk.ts'

const framedChunks = new WeakMap<Uint8Array, Uint8Array>()

/**
 * The bytes of a text that many responses send, made once for all of them. A long text stays a
 * text: its bytes are freed as soon as they are sent, which those of others cannot be.
 */
export function sharedChunk(text: string): Chunk {
  if (text === '' || text.length >= longTextCharacters) return text
  const length = Buffer.byteLength(text)
  const head = `${length.toString(16)}\r\n`
  const framed = Buffer.from(`${head}${text}\r\n`)
  const chunk = framed.subarray(head.length, head.length + length)
  framedChunks.set(chunk, framed)
  return chunk
}

/**
 * A shared chunk as HTTP/1.1 sends it in chunked coding (RFC 9112, §7.1); undefined for any other
 * chunk.
 */
export function framedChunk(chunk: Chunk): Uint8Array | undefined {
  return typeof chunk === 'string' ? undefined : framedChunks.get(chunk)
}
