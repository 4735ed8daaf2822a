import type { Chunk } from '../http/chunk.ts'

/** A stream that counts its pulls and knows whether it was closed. */
export interface TrackedStream extends AsyncIterable<Chunk> {
  readonly pullCount: number
  readonly isClosed: boolean
}

export function trackedStream(...chunks: readonly Chunk[]): TrackedStream {
  const remaining = [...chunks]
  let pullCount = 0
  let isClosed = false
  return {
    get pullCount() {
      return pullCount
    },
    get isClosed() {
      return isClosed
    },
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        pullCount += 1
        const value = isClosed ? undefined : remaining.shift()
        if (value !== undefined) return { done: false, value }
        isClosed = true
        return { done: true, value }
      },
      return: async () => {
        isClosed = true
        return { done: true, value: undefined }
      },
    }),
  }
}
