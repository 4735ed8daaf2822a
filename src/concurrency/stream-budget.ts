/**
 * How many bytes the chunks of all streamed responses may take together. Each chunk is in memory
 * until its client has received it.
 */
const maxSharedBytes = 16 * 1_048_576
const minChunkBytes = 65_536

let openStreams = 0

/** Counts a streamed response until the returned function is called. */
export function registerStream(): () => void {
  openStreams++
  let isOpen = true
  return () => {
    if (isOpen) openStreams--
    isOpen = false
  }
}

/**
 * How many bytes one chunk of a stream may have: the more streams are open, the fewer. A stream
 * never waits for a share, so that a client that stalls does not delay others.
 */
export function maxStreamChunkBytes(): number {
  return Math.max(minChunkBytes, Math.floor(maxSharedBytes / Math.max(1, openStreams)))
}
