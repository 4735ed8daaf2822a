import { isPromise } from './is-promise.ts'

/** A value, or a promise of it where code is asynchronous. */
export type MaybePromise<T> = T | Promise<T>

/** Goes on with the value: at once, unless it is a promise. */
export function chain<T, Result>(
  value: MaybePromise<T>,
  next: (value: T) => MaybePromise<Result>,
): MaybePromise<Result> {
  return isPromise(value) ? value.then(next) : next(value)
}
