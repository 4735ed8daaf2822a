import type { ErrorCode } from './error-code.ts'

/** One problem of a request, as the service describes it. */
export interface ClientProblem {
  /** Keeps its meaning for ever, so decide by it. A service may have codes of its own. */
  readonly code: ErrorCode | (string & {})
  readonly status: number
  readonly title: string
  readonly detail: string
  /** JSON Pointer into the values that the call was given, such as `/title`; for forms. */
  readonly pointer?: string
  /** The query parameter that is wrong. */
  readonly parameter?: string
  /** The request header that is wrong. */
  readonly header?: string
  /** Further facts, such as the limit that was exceeded. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/**
 * A response that is no success. Requests without a response reject with the error of `fetch`, and
 * aborted ones with the reason of their signal.
 *
 * ```ts
 * const writing = api.books.create({ title: 'Dracula', price: 9, author: 'bram-stoker' })
 * writing.catch((error: unknown) => {
 *   if (error instanceof ClientError && error.has('value-taken')) console.log(error.message)
 * })
 * ```
 */
export class ClientError extends Error {
  readonly status: number
  /** All problems of the request; empty if something else than the service responded. */
  readonly problems: readonly ClientProblem[]
  readonly headers: Headers

  constructor(status: number, problems: readonly ClientProblem[], headers: Headers) {
    super(problems.map(({ detail }) => detail).join(' ') || `The response has status ${status}.`)
    this.name = 'ClientError'
    this.status = status
    this.problems = problems
    this.headers = headers
  }

  /** Is one of the problems of this kind? */
  has(code: ErrorCode): boolean {
    return this.problems.some((problem) => problem.code === code)
  }
}

/**
 * 412: the item was changed since the client read it, and nothing was written.
 *
 * ```ts
 * const writing = api.books.update('dracula', { price: 9 })
 * writing.catch((error: unknown) => {
 *   if (error instanceof OutdatedItemError) console.log(error.current)
 * })
 * ```
 */
export class OutdatedItemError<Item = unknown> extends ClientError {
  /** The plural of the model. */
  readonly model: string
  /** The item as it is now; undefined if it is gone. */
  readonly current: Item | undefined

  constructor(error: ClientError, model: string, current: Item | undefined) {
    super(error.status, error.problems, error.headers)
    this.name = 'OutdatedItemError'
    this.model = model
    this.current = current
  }
}
