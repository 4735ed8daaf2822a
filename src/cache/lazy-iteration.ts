/**
 * Iterates over what is opened at the first `next`, such as a list of a store that is not open yet.
 *
 * ```ts
 * const books = lazyIteration(async () => (await open()).find(query))
 * ```
 */
export async function* lazyIteration<T>(open: () => Promise<AsyncIterable<T>>): AsyncGenerator<T> {
  yield* await open()
}
