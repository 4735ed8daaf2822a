/**
 * The store cannot be used at the moment: sent as 503 with `Retry-After`. Default of
 * `retryAfterSeconds`: 1.
 *
 * ```ts
 * const cause = new Error('connect ECONNREFUSED')
 * throw new StoreUnavailable('The database cannot be reached.', { retryAfterSeconds: 5, cause })
 * ```
 */
export class StoreUnavailable extends Error {
  override readonly name: string = 'StoreUnavailable'
  readonly retryAfterSeconds: number

  constructor(
    message: string,
    options: { readonly retryAfterSeconds?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1
  }
}

/**
 * Nobody knows whether a transaction was committed: the connection was lost after the commit was
 * sent, or the commit is not on the standby that it has to be on. Sent as 503 `outcome-unknown`
 * with `Retry-After`. A repetition with the same `Idempotency-Key` gets the result of the
 * transaction if it was committed, and carries the request out if it was not.
 *
 * ```ts
 * throw new OutcomeUnknown('The connection was lost while the transaction was committed.')
 * ```
 */
export class OutcomeUnknown extends StoreUnavailable {
  override readonly name = 'OutcomeUnknown'
}

/**
 * The tables have the form of a newer version of the program, so that this process can do nothing
 * more with them until it is started again.
 *
 * ```ts
 * throw new OutdatedProcess('Another process has renamed the tables.')
 * ```
 */
export class OutdatedProcess extends StoreUnavailable {
  override readonly name = 'OutdatedProcess'
}

/**
 * The store was closed, which its process does on purpose. Work beside requests ends without a
 * report.
 *
 * ```ts
 * throw new StoreClosed('The store is closed.')
 * ```
 */
export class StoreClosed extends StoreUnavailable {
  override readonly name = 'StoreClosed'
}

/**
 * Too many calls are queued: sent as 503 with `Retry-After`.
 *
 * ```ts
 * const waiting: (() => void)[] = []
 * if (waiting.length > 1_000) throw new StoreOverloaded()
 * ```
 */
export class StoreOverloaded extends Error {
  override readonly name = 'StoreOverloaded'
  readonly retryAfterSeconds = 1
}

/**
 * A plan begins or ends at a position with values that the columns of its sort cannot hold, because
 * a client sent a cursor of another list: sent as 400 `invalid-cursor`.
 *
 * ```ts
 * const checkPrice = (price: Scalar) => {
 *   if (typeof price !== 'number') throw new InvalidPosition(`'${price}' is not a price.`)
 * }
 * ```
 */
export class InvalidPosition extends Error {
  override readonly name = 'InvalidPosition'
}

/**
 * A statement took longer than the store allows: sent as 503, without `Retry-After`, because it
 * would take as long again.
 *
 * ```ts
 * const timeoutMs = 5_000
 * const statement = new AbortController()
 * setTimeout(() => statement.abort(new StoreTimeout(timeoutMs)), timeoutMs)
 * ```
 */
export class StoreTimeout extends Error {
  override readonly name = 'StoreTimeout'

  constructor(timeoutMs: number) {
    super(`A statement took longer than ${timeoutMs} ms and was aborted.`)
  }
}
