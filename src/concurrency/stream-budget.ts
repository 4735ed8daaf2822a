/**
 * Bytes that the chunks of all streamed answers come to, together: each is held until its client
 * has taken it.
 */
const maxSharedBytes = 16 * 1_048_576
const minChunkBytes = 65_536

let openStreams = 0

/** Counts a streamed answer until what comes back is called, once. */
export function registerStream(): () => void {
  openStreams++
  let isOpen = true
  return () => {
    if (isOpen) openStreams--
    isOpen = false
  }
}

/**
 * How many bytes the chunk of one stream may have: the fewer, the more streams there are. It never
 * waits for a client, so that none that stalls keeps others waiting.
 */
export function maxStreamChunkBytes(): number {
  return Math.max(minChunkBytes, Math.floor(maxSharedBytes / Math.max(1, openStreams)))
}
