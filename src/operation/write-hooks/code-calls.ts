import { isPromise } from '../../concurrency/is-promise.ts'
import { ApiError } from '../../error/api-error.ts'
import { HookTimeout } from '../../error/hook-timeout.ts'
import type { ItemChange } from '../../store/write-observer.ts'
import type { RunningCode } from '../unit-of-work/unit-reader.ts'

/** The calls of items that a function, a hook or an action makes in a transaction. */
export class CodeCalls implements RunningCode {
  readonly #outer: CodeCalls | undefined
  readonly #pending = new Set<Promise<unknown>>()
  #last: Promise<unknown> = noCall
  #writeCount = 0
  #failure: { readonly error: unknown } | undefined
  #hasEnded = false
  readonly #timeoutMs: number
  #statementCount = 0
  #timer: NodeJS.Timeout | undefined
  #expire: (() => void) | undefined
  #hasExpired = false

  /**
   * @param timeoutMs how long the code may do nothing in the transaction
   * @param outer the calls of the function whose transaction is joined
   */
  constructor(timeoutMs: number, outer?: CodeCalls) {
    this.#timeoutMs = timeoutMs
    this.#outer = outer
  }

  /** @throws Error if the code was ended because it took too long */
  refuseExpired(): void {
    if (this.#hasExpired) throw codeHasExpired()
    if (this.#outer) this.#outer.refuseExpired()
  }

  /** Runs a statement of the transaction: the code does something meanwhile. */
  async statement<T>(run: () => Promise<T>): Promise<T> {
    this.refuseExpired()
    this.#addStatements(1)
    try {
      return await run()
    } finally {
      this.#addStatements(-1)
    }
  }

  #addStatements(count: number): void {
    this.#statementCount += count
    this.#restartTimer()
    if (this.#outer) this.#outer.#addStatements(count)
  }

  #restartTimer(): void {
    clearTimeout(this.#timer)
    if (this.#expire && this.#statementCount === 0)
      this.#timer = setTimeout(this.#expire, this.#timeoutMs).unref()
  }

  /** Ends code that does nothing for too long. */
  #limited<T>(result: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#expire = () => {
        const error = new HookTimeout(this.#timeoutMs)
        this.#hasExpired = true
        this.#fail(error)
        this.#end()
        reject(error)
      }
      this.#restartTimer()
      const stop = () => {
        this.#expire = undefined
        clearTimeout(this.#timer)
      }
      result.then(resolve, reject).finally(stop)
    })
  }

  /** Has the code ended? What it has left running cannot take part in the transaction. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  /** Counted before it is done: part of a removal may be done where it fails. */
  beforeWrite(_: unknown, { kind }: ItemChange): undefined {
    if (kind === 'delete') this.#writeCount++
  }

  written(_: unknown, { kind }: ItemChange): void {
    if (kind !== 'delete') this.#writeCount++
  }

  /**
   * Makes one call after the other: a change reads an item and writes it back, so two of them at
   * once would lose one.
   */
  runNext<T>(call: () => Promise<T>): Promise<T> {
    const called = this.#last.then(() => this.#undoneWhole(call))
    this.#last = called.catch(() => undefined)
    return this.track(called)
  }

  /** Makes a call that may wait for others. */
  run<T>(call: () => Promise<T>): Promise<T> {
    return this.track(this.#undoneWhole(call))
  }

  /** Refuses the transaction if the code ends before the call. */
  track<T>(called: Promise<T>): Promise<T> {
    const tracked = called.finally(() => this.#forget(tracked))
    this.#add(tracked)
    return tracked
  }

  /**
   * Runs the code that makes the calls.
   * @throws TypeError if the code has not waited for a call, the error of a call that has left a
   * part of its writes, even if the code has caught it
   */
  runCode<Result>(code: () => Result): Result {
    const writeCount = this.#writeCount
    const fail = (error: unknown): never => {
      this.#failIfPartial(error, writeCount)
      this.#end()
      throw error
    }
    let result: Result
    try {
      result = code()
    } catch (error) {
      return fail(error)
    }
    return isPromise(result)
      ? (this.#limited(
          Promise.resolve(result.then((value) => this.#complete(value), fail)),
        ) as Result)
      : this.#complete(result)
  }

  /** The result of code that has ended well. */
  #complete<T>(result: T): T {
    const isWaitingForCalls = this.#pending.size > 0
    this.#end()
    if (isWaitingForCalls)
      throw new TypeError(
        'Code in a transaction uses items without waiting for them. Await each call.',
      )
    if (this.#failure) throw this.#failure.error
    return result
  }

  async #undoneWhole<T>(work: () => Promise<T>): Promise<T> {
    this.refuseExpired()
    const writeCount = this.#writeCount
    try {
      return await work()
    } catch (error) {
      this.#failIfPartial(error, writeCount)
      throw error
    }
  }

  /** An error after a write leaves a part of the work, which must not be committed. */
  #failIfPartial(error: unknown, writeCount: number): void {
    if (this.#writeCount > writeCount || !(error instanceof ApiError)) this.#fail(error)
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    if (this.#outer) this.#outer.#fail(error)
  }

  #add(call: Promise<unknown>): void {
    this.#pending.add(call)
    if (this.#outer) this.#outer.#add(call)
  }

  #forget(call: Promise<unknown>): void {
    this.#pending.delete(call)
    if (this.#outer) this.#outer.#forget(call)
  }

  /** Pending calls fail once the transaction has ended, and nobody waits for them. */
  #end(): void {
    this.#hasEnded = true
    for (const call of this.#pending) call.catch(() => undefined)
  }
}

const noCall = Promise.resolve()

function codeHasExpired(): Error {
  return new Error(
    'This code was ended because it did nothing for too long, and its transaction is undone. It cannot use items any more.',
  )
}
