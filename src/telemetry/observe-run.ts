import { isPromise } from '../concurrency/is-promise.ts'
import { type StatementsRun, statementsRun } from './channels.ts'

/**
 * Runs statements, and publishes how long they took. Called only where `statementsRun` has
 * subscribers.
 */
export function observeRun<T>(
  system: StatementsRun['system'],
  statements: readonly string[],
  run: () => T,
): T {
  const startMs = performance.now()
  const publish = (failure?: unknown): void =>
    statementsRun.publish({
      system,
      statements,
      startMs,
      durationMs: performance.now() - startMs,
      failure,
    })
  const fail = (failure: unknown): never => {
    publish(failure)
    throw failure
  }
  let result: T
  try {
    result = run()
  } catch (failure) {
    return fail(failure)
  }
  if (isPromise(result))
    return result.then((value) => {
      publish()
      return value
    }, fail) as T
  publish()
  return result
}
