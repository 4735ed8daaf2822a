import { setTimeout as wait } from 'node:timers/promises'

/**
 * How long a slow first batch is waited for, in milliseconds, before the head of the list goes out
 * without it.
 */
const headDelayMs = 3

/**
 * Does the store have to search or sort before it has anything to give? One that fails at once
 * still fails here.
 */
export async function isSlowToStart(first: Promise<unknown>): Promise<boolean> {
  const over = new AbortController()
  const late = wait(headDelayMs, true, { signal: over.signal }).catch(() => false)
  try {
    return await Promise.race([first.then(() => false), late])
  } finally {
    over.abort()
  }
}

/**
 * Chunks of a list that is being read already. A client can leave before the first one is asked
 * for: the reading is ended then too, which a generator that never ran would not do.
 */
export function closableChunks<T>(
  chunks: AsyncGenerator<T>,
  reading: AsyncIterator<unknown>,
  ended?: () => void,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => chunks.next(),
      return: async () => {
        ended?.()
        await reading.return?.()
        return chunks.return(undefined)
      },
    }),
  }
}
