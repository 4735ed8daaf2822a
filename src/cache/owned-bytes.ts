import { MessageChannel } from 'node:worker_threads'
import { lazy } from './lazy.ts'

const owned = new WeakSet<Uint8Array>()

/** Says that nothing else uses the memory of these bytes: who has sent them may free it. */
export function ownBytes<T extends Uint8Array>(bytes: T): T {
  // Small ones share the pool of `Buffer`.
  if (bytes.byteLength > 0 && bytes.byteLength === bytes.buffer.byteLength) owned.add(bytes)
  return bytes
}

/**
 * Frees the memory of bytes that were owned by nobody else, and does nothing with others. The
 * collector would do so too, but it lets more than 64 MiB of such memory gather before it looks.
 */
export function freeBytes(bytes: Uint8Array): void {
  if (owned.delete(bytes)) drain().postMessage(null, [bytes.buffer as ArrayBuffer])
}

/** What is transferred to a port that is closed is gone with the message. */
const drain = lazy(() => {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  port1.close()
  return port1
})
