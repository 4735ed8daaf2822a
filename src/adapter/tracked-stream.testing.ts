/**
 * A stream that holds something from when it is made, as a blob whose first chunk is read already
 * does.
 */
export interface TrackedStream extends AsyncIterable<string> {
  readonly pullCount: number
  readonly isClosed: boolean
}

export function trackedStream(...chunks: readonly string[]): TrackedStream {
  const left = [...chunks]
  let pulled = 0
  let closed = false
  return {
    get pullCount() {
      return pulled
    },
    get isClosed() {
      return closed
    },
    [Symbol.asyncIterator]: () => ({
      next: async () => {
        pulled += 1
        const value = closed ? undefined : left.shift()
        if (value !== undefined) return { done: false, value }
        closed = true
        return { done: true, value }
      },
      return: async () => {
        closed = true
        return { done: true, value: undefined }
      },
    }),
  }
}
