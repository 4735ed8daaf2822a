import { expect } from 'vitest'

/**
 * Counts the streams of stores, blobs and responses. A test file must not leave one open: it would
 * hold rows, temporary tables or files until the process ends.
 */

/** The open streams, with the tests that opened them. */
const open = new Map<object, string>()

/** A disconnect ends a stream some turns of the event loop later. */
const usualPatienceMs = 5_000

/** For the end of a test file. */
export async function expectClosedStreams(patienceMs = usualPatienceMs): Promise<void> {
  const deadline = performance.now() + patienceMs
  while (open.size > 0 && performance.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 10))
  const unclosed = [...new Set(open.values())]
  open.clear()
  expect(unclosed, 'these streams were begun, and neither read to their ends nor closed').toEqual(
    [],
  )
}

/** The stream, which counts as open when its first chunk is read: before, it holds nothing. */
export function countedOnceRead<T>(what: string, stream: AsyncIterable<T>): AsyncIterable<T> {
  return counted(what, stream, false)
}

/** The stream of a response, which counts as open at once: its sources may be open already. */
export function countedAtOnce<T>(what: string, stream: AsyncIterable<T>): AsyncIterable<T> {
  return counted(what, stream, true)
}

function counted<T>(what: string, stream: AsyncIterable<T>, isBegun: boolean): AsyncIterable<T> {
  const key = {}
  const begin = (): void =>
    void open.set(key, `${what} in '${expect.getState().currentTestName ?? 'no test'}'`)
  const close = (): void => void open.delete(key)
  let hasBegun = isBegun
  if (isBegun) begin()
  return {
    [Symbol.asyncIterator]() {
      const iterator = stream[Symbol.asyncIterator]()
      return {
        async next() {
          if (!hasBegun) begin()
          hasBegun = true
          try {
            const next = await iterator.next()
            if (next.done) close()
            return next
          } catch (error) {
            close()
            throw error
          }
        },
        async return() {
          try {
            await iterator.return?.()
          } finally {
            close()
          }
          return { done: true, value: undefined }
        },
      }
    },
  }
}
