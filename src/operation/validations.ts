import { isDeepStrictEqual } from 'node:util'
import { withTimeout } from '../concurrency/with-timeout.ts'
import { ValidationTimeout } from '../error/validation-timeout.ts'
import { type Schema, type ValidationResult, validate } from '../schema/standard-schema.ts'
import type { StoreCall } from '../store/store-call.ts'

/** A schema that is pending for too long ends the request with {@link ValidationTimeout}. */
export const validationErrors = ['validation-timeout'] as const

/**
 * A batch may wait for each of its operations. Beyond that, values keep changing while they are
 * validated.
 */
const maxWaits = 1_000

/** The result of an asynchronous schema for a value. */
interface SettledValidation {
  readonly value: unknown
  readonly validation: ValidationResult
}

/**
 * Ends a transaction whose validation is asynchronous, so that other writers do not wait. The
 * caller of the transaction waits, and starts it again.
 */
export class ValidationPending extends Error {
  override readonly name = 'ValidationPending'
}

/**
 * The validations of one request. Results of asynchronous schemas are remembered by value, for the
 * next attempt.
 */
export class Validations {
  /** Undefined before the first asynchronous schema, which most requests never have. */
  #settled: Map<Schema, SettledValidation[]> | undefined
  #pending: Promise<void>[] | undefined
  /** Milliseconds left to wait. */
  #remainingMs: number
  #waits = 0
  readonly #caller: StoreCall

  constructor(timeoutMs: number, caller: StoreCall) {
    this.#remainingMs = timeoutMs
    this.#caller = caller
  }

  /** Undefined while the schema is asynchronous: call `waitForPending`. */
  validate(schema: Schema, value: unknown): ValidationResult | undefined {
    const settledValidation = this.#settled
      ?.get(schema)
      ?.find((settled) => isDeepStrictEqual(settled.value, value))
    if (settledValidation) return settledValidation.validation
    const validation = validate(schema, value)
    if (!(validation instanceof Promise)) return validation
    const pending = validation.then((validation) => {
      this.#settled ??= new Map()
      const settled = this.#settled.get(schema)
      if (settled) settled.push({ value, validation })
      else this.#settled.set(schema, [{ value, validation }])
    })
    // Another validation may fail first.
    pending.catch(() => undefined)
    this.#pending ??= []
    this.#pending.push(pending)
    return undefined
  }

  /**
   * Waits for the pending schemas.
   * @throws ValidationTimeout, or the reason of the signal
   */
  async waitForPending(): Promise<void> {
    const startedAt = performance.now()
    const pending = this.#pending ?? []
    this.#pending = undefined
    if (this.#remainingMs <= 0 || ++this.#waits > maxWaits) throw new ValidationTimeout()
    await withTimeout(Promise.all(pending), {
      timeoutMs: this.#remainingMs,
      timeoutError: () => new ValidationTimeout(),
      waiter: this.#caller,
    })
    this.#remainingMs -= performance.now() - startedAt
  }

  /** Waits for the result. Call it outside transactions. */
  async validateAsync(schema: Schema, value: unknown): Promise<ValidationResult> {
    for (;;) {
      const validation = this.validate(schema, value)
      if (validation) return validation
      await this.waitForPending()
    }
  }
}

/**
 * Runs work that validates, and runs it again after each wait for an asynchronous schema.
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
