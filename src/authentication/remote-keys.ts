import type { JWTVerifyGetKey } from 'jose'
import { AuthenticationUnavailable } from '../error/authentication-unavailable.ts'

/** How long after a successful read a token with an unknown key does not cause another one. */
const unknownKeyPauseMs = 30_000

const firstPauseMs = 1_000
const longestPauseMs = 60_000

/** From this part of its age on, a set is read again while requests use it. */
const refreshedPart = 0.75

/** The function of `jose` that finds keys, and the reader of the set that it looks in. */
interface KeySet extends JWTVerifyGetKey {
  reload(): Promise<void>
}

/** How long a set is used, in milliseconds. */
export interface KeySetAges {
  readonly maxAgeMs: number
  readonly maxStaleMs: number
}

/**
 * The keys of an issuer. They are read again in the background before they are old, and stay valid
 * for a longer time while the issuer is away. Pauses that double bound how often it is asked,
 * whatever tokens come.
 */
export class RemoteKeys {
  readonly #keySet: KeySet
  readonly #url: string
  readonly #ages: KeySetAges
  #readAtMs = Number.NEGATIVE_INFINITY
  #nextReadAtMs = Number.NEGATIVE_INFINITY
  #failures = 0
  #lastError: unknown
  #reading: Promise<boolean> | undefined

  constructor(keySet: KeySet, url: string, ages: KeySetAges) {
    this.#keySet = keySet
    this.#url = url
    this.#ages = ages
  }

  /**
   * The key of a token.
   * @throws AuthenticationUnavailable if the set cannot be read, and the one that is known is too
   * old or lacks the key; errors of `jose` that are about the token
   */
  readonly keyOf: JWTVerifyGetKey = async (header, token) => {
    const ageMs = Date.now() - this.#readAtMs
    if (ageMs >= this.#ages.maxStaleMs) {
      if (!(await this.#read())) throw this.#unavailable()
    } else if (ageMs >= this.#ages.maxAgeMs && this.#failures === 0) await this.#read()
    else if (ageMs >= this.#ages.maxAgeMs * refreshedPart) this.#readInBackground()
    try {
      return await this.#keySet(header, token)
    } catch (error) {
      if ((error as { readonly code?: string }).code !== 'ERR_JWKS_NO_MATCHING_KEY') throw error
      // The key may be new.
      if (await this.#read()) return await this.#keySet(header, token)
      if (this.#failures > 0) throw this.#unavailable()
      throw error
    }
  }

  /** @returns was it read now? False during a pause, and if it cannot be read */
  #read(): Promise<boolean> {
    if (!this.#reading && Date.now() < this.#nextReadAtMs) return Promise.resolve(false)
    this.#reading ??= this.#reload().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #reload(): Promise<boolean> {
    try {
      await this.#keySet.reload()
      this.#readAtMs = Date.now()
      const pauseMs = Math.min(unknownKeyPauseMs, this.#ages.maxAgeMs * refreshedPart)
      this.#nextReadAtMs = this.#readAtMs + pauseMs
      this.#failures = 0
      return true
    } catch (error) {
      const pauseMs = Math.min(firstPauseMs * 2 ** this.#failures, longestPauseMs)
      this.#nextReadAtMs = Date.now() + pauseMs
      this.#failures++
      this.#lastError = error
      return false
    }
  }

  #readInBackground(): void {
    if (this.#reading || Date.now() < this.#nextReadAtMs) return
    void this.#read().then((isRead) => {
      if (!isRead) this.#warn()
    })
  }

  #warn(): void {
    const reason = this.#lastError instanceof Error ? this.#lastError.message : this.#lastError
    const until = new Date(this.#readAtMs + this.#ages.maxStaleMs).toISOString()
    process.emitWarning(
      `The keys at '${this.#url}' cannot be read: ${reason}. Those that are known stay valid until ${until}.`,
      { code: 'RESOURCERY_KEYS' },
    )
  }

  #unavailable(): AuthenticationUnavailable {
    const seconds = Math.max(1, Math.ceil((this.#nextReadAtMs - Date.now()) / 1_000))
    return new AuthenticationUnavailable(`The keys at '${this.#url}' cannot be read.`, {
      cause: this.#lastError,
      retryAfterSeconds: seconds,
    })
  }
}
