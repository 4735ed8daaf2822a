import { isDeepStrictEqual } from 'node:util'
import { withTimeout } from '../concurrency/with-timeout.ts'
import { ValidationTimeout } from '../error/validation-timeout.ts'
import { type Schema, type ValidationResult, validate } from '../schema/standard-schema.ts'
import type { Caller } from '../store/store.ts'

/**
 * A batch may wait for each of its operations. Beyond, values change while they are validated,
 * again and again.
 */
const maxWaits = 1_000

/** What an asynchronous schema said of a value. */
interface SettledValidation {
  readonly value: unknown
  readonly validation: ValidationResult
}

/**
 * Ends a transaction in which a schema turned out to be asynchronous: other writers must not wait
 * for it. Who began the transaction waits, and begins it anew.
 */
export class ValidationPending extends Error {
  override readonly name = 'Unsettled'
}

/**
 * The validations of one request. What asynchronous schemas said is remembered by the value, for
 * the attempt that comes after the wait.
 */
export class Validations {
  readonly #settled = new Map<Schema, SettledValidation[]>()
  #pending: Promise<void>[] = []
  /** Milliseconds that may still be waited. */
  #left: number
  #waits = 0
  readonly #caller: Caller

  constructor(timeoutMs: number, caller: Caller) {
    this.#left = timeoutMs
    this.#caller = caller
  }

  /** Undefined where the schema takes its time: `settle` waits for it. */
  validate(schema: Schema, value: unknown): ValidationResult | undefined {
    const known = this.#settled.get(schema)?.find((one) => isDeepStrictEqual(one.value, value))
    if (known) return known.validation
    const validation = validate(schema, value)
    if (!(validation instanceof Promise)) return validation
    const pending = validation.then((validation) => {
      const settled = this.#settled.get(schema)
      if (settled) settled.push({ value, validation })
      else this.#settled.set(schema, [{ value, validation }])
    })
    // Another of them may fail first.
    pending.catch(() => undefined)
    this.#pending.push(pending)
    return undefined
  }

  /**
   * Waits for the schemas that have not answered yet. @throws ValidationTimeout, or the reason of
   * the signal where the caller has left
   */
  async waitForPending(): Promise<void> {
    const begun = performance.now()
    const pending = this.#pending
    this.#pending = []
    if (this.#left <= 0 || ++this.#waits > maxWaits) throw new ValidationTimeout()
    const { signal } = this.#caller
    await withTimeout(Promise.all(pending), {
      timeoutMs: this.#left,
      timeoutError: () => new ValidationTimeout(),
      signal,
    })
    this.#left -= performance.now() - begun
  }

  /** The validation, however long the schema takes; to be called outside transactions. */
  async validateAsync(schema: Schema, value: unknown): Promise<ValidationResult> {
    for (;;) {
      const validation = this.validate(schema, value)
      if (validation) return validation
      await this.waitForPending()
    }
  }
}

/**
 * Runs a work that validates, and runs it anew each time that an asynchronous schema has ended it.
 * Values that have changed meanwhile are validated anew.
 * @throws ValidationTimeout
 */
export async function retryUntilValidated<T>(
  validations: Validations,
  work: () => Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ValidationPending)) throw error
      await validations.waitForPending()
    }
  }
}
