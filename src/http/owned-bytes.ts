import { MessageChannel } from 'node:worker_threads'
import { lazy } from '../cache/lazy.ts'

const owned = new WeakSet<Uint8Array>()

/**
 * Marks bytes whose memory nothing else uses, so that whoever sends them may free it afterwards.
 * Bytes that share their memory, as small ones share the pool of `Buffer`, are not marked.
 */
export function ownBytes<T extends Uint8Array>(bytes: T): T {
  if (bytes.byteLength > 0 && bytes.byteLength === bytes.buffer.byteLength) owned.add(bytes)
  return bytes
}

/**
 * Frees the memory of bytes that {@link ownBytes} marked, and leaves all others alone. The garbage
 * collector would free it too, but only after more than 64 MiB of such memory have gathered.
 */
export function freeBytes(bytes: Uint8Array): void {
  if (owned.delete(bytes)) closedPort().postMessage(null, [bytes.buffer as ArrayBuffer])
}

/** A message to a closed port is dropped, together with the memory that was transferred. */
const closedPort = lazy(() => {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.close()
  return port1
})
