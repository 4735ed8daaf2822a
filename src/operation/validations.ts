import { isDeepStrictEqual } from 'node:util'
import { ValidationTimeout } from '../error/validation-timeout.ts'
import { type Schema, type Validation, validate } from '../schema/standard-schema.ts'
import type { Caller } from '../store/store.ts'
import { withinTime } from './within-time.ts'

/** A batch may wait for each of its operations. Beyond, values change while they are validated, again and again. */
const mostWaits = 1_000

/** What an asynchronous schema said of a value. */
interface Settled {
  readonly value: unknown
  readonly validation: Validation
}

/**
 * Ends a transaction in which a schema turned out to be asynchronous: other writers must not wait for it. Who began the transaction waits, and
 * begins it anew.
 */
export class Unsettled extends Error {
  override readonly name = 'Unsettled'
}

/** The validations of one request. What asynchronous schemas said is remembered by the value, for the attempt that comes after the wait. */
export class Validations {
  readonly #settled = new Map<Schema, Settled[]>()
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
  validate(schema: Schema, value: unknown): Validation | undefined {
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

  /** Waits for the schemas that have not answered yet. @throws ValidationTimeout, or the reason of the signal where the caller has left */
  async settle(): Promise<void> {
    const begun = performance.now()
    const pending = this.#pending
    this.#pending = []
    if (this.#left <= 0 || ++this.#waits > mostWaits) throw new ValidationTimeout()
    const { signal } = this.#caller
    await withinTime(Promise.all(pending), { milliseconds: this.#left, late: () => new ValidationTimeout(), signal })
    this.#left -= performance.now() - begun
  }

  /** The validation, however long the schema takes; to be called outside transactions. */
  async settled(schema: Schema, value: unknown): Promise<Validation> {
    for (;;) {
      const validation = this.validate(schema, value)
      if (validation) return validation
      await this.settle()
    }
  }
}

/**
 * Runs a work that validates, and runs it anew each time that an asynchronous schema has ended it. Values that have changed meanwhile are
 * validated anew.
 * @throws ValidationTimeout
 */
export async function untilSettled<T>(validations: Validations, work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unsettled)) throw error
      await validations.settle()
    }
  }
}
