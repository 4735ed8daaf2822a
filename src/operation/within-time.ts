import { setTimeout as wait } from 'node:timers/promises'

/** Settles as the promise does, or throws what `late` makes where it takes longer than so many milliseconds. */
export async function withinTime<T>(promise: Promise<T>, milliseconds: number, late: () => Error): Promise<T> {
  const over = new AbortController()
  const alarm = wait(milliseconds, undefined, { signal: over.signal, ref: false }).then(
    () => Promise.reject(late()),
    () => promise,
  )
  try {
    return await Promise.race([promise, alarm])
  } finally {
    over.abort()
  }
}
