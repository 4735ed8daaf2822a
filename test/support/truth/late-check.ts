import { checkStoredValues as checkLater } from '../../../src/api/check-stored-values.ts'

/**
 * The check of stored values begins some time after a start. In a long test file it would still
 * read a list at the end. Here it begins only where a test says when, and otherwise waits until the
 * router is closed, without a timer, which would keep each router of a process in memory. Stands in
 * for the function of that name.
 */
export const checkStoredValues: typeof checkLater = (store, models, options) =>
  options.delayMs === undefined ? untilAborted(options.signal) : checkLater(store, models, options)

function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}
