/** A stream that holds something from when it is made, as a blob whose first chunk is read already does. */
export interface HeldStream extends AsyncIterable<string> {
  readonly pulled: number
  readonly closed: boolean
}

export function heldStream(...chunks: readonly string[]): HeldStream {
  const left = [...chunks]
  let pulled = 0
  let closed = false
  return {
    get pulled() {
      return pulled
    },
    get closed() {
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
