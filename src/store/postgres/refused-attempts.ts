import type { Statement } from '../sql/statement-cache.ts'
import { StoreUnavailable } from '../store-failures.ts'
import type { PostgresError } from './postgres-error.ts'

/** Each of them costs a run of the whole transaction. */
const maxRefusals = 100

/** Ends a run of a transaction on a server without savepoints. */
export class TransactionRepeats extends Error {
  override readonly name = 'TransactionRepeats'

  constructor(cause: PostgresError) {
    super(`The transaction runs again: ${cause.message}.`, { cause })
  }
}

/**
 * What a server without savepoints has refused in a transaction. It has undone all of it, so the
 * transaction runs again: where it comes to the same statements, it gets their error at once.
 */
export class RefusedAttempts {
  readonly #attempts = new Map<number, { readonly text: string; readonly error: PostgresError }>()
  #count = 0

  /** @param index counts what the server could refuse, from the beginning of the transaction */
  add(index: number, statements: readonly Statement[], error: PostgresError): void {
    // Not the places: code that decides anew may get another refusal at the same one.
    if (++this.#count > maxRefusals)
      throw new StoreUnavailable(
        `A transaction has run ${maxRefusals} times, because each time the database refused another statement: ${error.message}.`,
        { cause: error },
      )
    this.#attempts.set(index, { text: textOf(statements), error })
  }

  errorOf(index: number, statements: readonly Statement[]): PostgresError | undefined {
    const attempt = this.#attempts.get(index)
    return attempt?.text === textOf(statements) ? attempt.error : undefined
  }
}

/** Without parameters: some are made anew in each run. */
function textOf(statements: readonly Statement[]): string {
  return statements.map(({ sql }) => sql).join(';')
}
