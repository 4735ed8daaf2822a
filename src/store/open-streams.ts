/** Bytes that the chunks of all streamed answers come to, together: each is held until its client has taken it. */
const sharedBytes = 16 * 1_048_576
const smallestShare = 65_536

let open = 0

/** Counts a streamed answer until what comes back is called, once. */
export function openStream(): () => void {
  open++
  let isOpen = true
  return () => {
    if (isOpen) open--
    isOpen = false
  }
}

/** How many bytes the chunk of one stream may have: the fewer, the more streams there are. It never waits for a client, so that none that stalls keeps others waiting. */
export function streamShare(): number {
  return Math.max(smallestShare, Math.floor(sharedBytes / Math.max(1, open)))
}
