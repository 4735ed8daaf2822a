import { setTimeout as wait } from 'node:timers/promises'

/** How long a list waits for its first batch before its head is sent, in milliseconds. */
const headDelayMs = 3

/**
 * Whether the store searches or sorts before it returns the first batch. A batch that fails at once
 * throws here.
 */
export async function isSlowToStart(first: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const timeout = wait(headDelayMs, true, { signal: timer.signal }).catch(() => false)
  try {
    return await Promise.race([first.then(() => false), timeout])
  } finally {
    timer.abort()
  }
}

/**
 * Chunks of a list whose reading has started. If the client leaves before it asks for the first
 * chunk, the reading stops too, which a generator that never ran would not do.
 */
export function closableChunks<T>(
  chunks: AsyncGenerator<T>,
  iterator: AsyncIterator<unknown>,
  onEnd?: () => void,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => chunks.next(),
      return: async () => {
        onEnd?.()
        await iterator.return?.()
        return chunks.return(undefined)
      },
    }),
  }
}
