import { createHash, type Hash } from 'node:crypto'
import type { Context } from '../../context/context.ts'
import { ApiError } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { withoutCredentials } from '../../rule/own-parameters.ts'
import type { Rule } from '../../rule/rule.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { BeginObserver } from '../../store/write-observer.ts'
import { decryptRecord, encryptRecord } from './encrypted-record.ts'
import { maxKeyLength, parseIdempotencyKey } from './idempotency-key.ts'
import type { Idempotency } from './idempotency-settings.ts'
import { withKeyLock } from './key-lock.ts'
import { refuseLost } from './lost-response.ts'
import { callerHash, type RecordKey, recordClient, recordKey } from './record-key.ts'
import { AlreadyDone, transactionRecorder, type WrittenItems } from './record-transaction.ts'
import { keyErrors } from './repeatable-errors.ts'

const { problem, refuse, temporaryRefusal } = refusalsOf(keyErrors)

const source = { header: 'Idempotency-Key' } as const

const keyRequiredText = 'This operation requires Idempotency-Key, with a new UUID for each change.'

/** An operation that requires a key, in a batch that has none. */
export function missingBatchKey(pointer: string): Problem {
  return problem(
    'idempotency-key-required',
    'This operation requires Idempotency-Key. Send the batch with one, a new UUID for each batch.',
    { pointer },
  )
}

/** The result of each line would have to be kept. */
export function refuseKeyOfLines(): never {
  throw refuse(
    'invalid-idempotency-key',
    "Idempotency-Key is not supported with several items. Send them again with the preference 'resolution=merge-duplicates'.",
    source,
  )
}

/** They cannot have the key, and are refused without one. */
export function refuseLinesWithKeys(): never {
  throw refuse(
    'idempotency-key-required',
    'This operation requires Idempotency-Key, which is not supported with several items. Send each item in a request of its own.',
    source,
  )
}

/**
 * The key of a request; undefined if it has none, or if the rule ignores it. Call it once request
 * hooks have run: a caller who is refused learns nothing about keys.
 * @throws ApiError `invalid-idempotency-key`, `idempotency-key-required`
 */
export function keyedRequest(
  idempotency: Idempotency,
  rule: Rule,
  context: Context,
): KeyedRequest | undefined {
  if (!rule.idempotencyKey) return undefined
  const { headers } = context.request
  const value = headers['idempotency-key']
  if (value === undefined) {
    if (rule.idempotencyKey.required !== 'always') return undefined
    throw refuse('idempotency-key-required', keyRequiredText, source)
  }
  const key = parseIdempotencyKey(value)
  if (key === undefined)
    throw refuse(
      'invalid-idempotency-key',
      `Expected a key of 1 to ${maxKeyLength} ASCII characters, in quotes or without spaces and commas; got '${truncate(value)}'.`,
      source,
    )
  const fingerprint = createHash('sha256').update(fingerprintHead(context))
  if (rule.request.kind === 'bytes') {
    const digest = headers['content-digest']
    if (digest === undefined)
      throw refuse(
        'invalid-idempotency-key',
        'An upload with Idempotency-Key requires Content-Digest, which identifies a repeated upload.',
        source,
      )
    fingerprint.update(digest)
  }
  return new KeyedRequest(idempotency, context, recordKey(idempotency, context, key), fingerprint)
}

/** Lengths separate the parts, whatever they contain. */
function fingerprintHead({ rule, request: { method, path, query, headers } }: Context): string {
  // A caller may repeat a request with a new token.
  const asked = withoutCredentials(rule, query)
  return JSON.stringify([method, path, asked, headers['content-type'] ?? null])
}

/** How to do a request once, and what to respond where that has happened. */
export interface KeyedWork<Result, Outcome> {
  /** Every transaction of the work has to be recorded. */
  run(recorder: BeginObserver): Promise<Outcome>
  /** The form in which a result is kept. */
  toRecord(result: Result, written: WrittenItems, reader: StoreReader): Promise<unknown>
  /** The outcome from a record. It may throw what the caller is refused with by now. */
  replay(record: unknown, isSameCaller: boolean): Promise<Outcome>
}

/** A request with an `Idempotency-Key`. */
export class KeyedRequest {
  readonly #idempotency: Idempotency
  readonly #context: Context
  readonly #recordKey: RecordKey
  /** Another caller of the same scope may send the request again. */
  readonly #callerHash: string
  readonly #fingerprint: Hash

  constructor(idempotency: Idempotency, context: Context, key: RecordKey, fingerprint: Hash) {
    this.#idempotency = idempotency
    this.#context = context
    this.#recordKey = key
    this.#callerHash = callerHash(context)
    this.#fingerprint = fingerprint
  }

  /** The bytes that one result may have. */
  get maxResultBytes(): number {
    return this.#idempotency.maxResultBytes
  }

  /** Adds the body to what a repetition has to have in common with this request. */
  readonly addBody = (bytes: Uint8Array): void => {
    this.#fingerprint.update(bytes)
  }

  /**
   * Does the work unless a request with the same key has done it.
   * @throws ApiError `idempotency-key-reused` for another request with the same key
   */
  async once<Result, Outcome>(work: KeyedWork<Result, Outcome>): Promise<Outcome> {
    const { waitMs } = this.#idempotency
    const fingerprint = this.#fingerprint.digest('base64url')
    const wait = { timeoutMs: waitMs, waiter: this.#context }
    return withKeyLock(this.#recordKey.name, wait, () => this.#once(work, fingerprint))
  }

  async #once<Result, Outcome>(
    work: KeyedWork<Result, Outcome>,
    fingerprint: string,
  ): Promise<Outcome> {
    const { records, keeper } = this.#idempotency
    const nowMs = Date.now()
    const find = () => records.find(this.#recordKey.name, nowMs)
    const earlier = await find()
    if (earlier !== undefined) return this.#replay(work, fingerprint, earlier)
    const client = recordClient(this.#idempotency, this.#context)
    const fullUntilMs = await keeper.fullUntilMs(client, nowMs)
    if (fullUntilMs !== undefined) throw tooManyResults(fullUntilMs - nowMs)
    let bytes = 0
    const recorder = this.#recorder(work, fingerprint, nowMs, client, (text) => {
      bytes = text.length
    })
    try {
      const outcome = await work.run(recorder)
      keeper.added(client, bytes, nowMs + this.#idempotency.keepMs)
      return outcome
    } catch (error) {
      // Another process may have done it meanwhile: then the refusal is about its result.
      const other = error instanceof AlreadyDone ? error.record : undefined
      if (other === undefined && !(error instanceof ApiError)) throw error
      const meanwhile = other ?? (await find())
      if (meanwhile === undefined) throw error
      return this.#replay(work, fingerprint, meanwhile)
    }
  }

  async #replay<Result, Outcome>(
    work: KeyedWork<Result, Outcome>,
    fingerprint: string,
    text: string,
  ): Promise<Outcome> {
    const json = decryptRecord(this.#recordKey.secret, text)
    if (json === undefined) return refuseLost('Its response cannot be read.')
    const record = JSON.parse(json) as StoredRecord
    if (record.fingerprint !== fingerprint)
      throw refuse(
        'idempotency-key-reused',
        'This Idempotency-Key was sent with another request. Send a new key with each request that is not a repetition.',
        source,
      )
    // The first response may have been that nobody knows the outcome.
    await this.#idempotency.records.confirm?.(this.#recordKey.name)
    const outcome = await work.replay(record.result, record.caller === this.#callerHash)
    this.#context.setHeader('idempotency-replayed', 'true')
    return outcome
  }

  #recorder<Result>(
    { toRecord }: Pick<KeyedWork<Result, unknown>, 'toRecord'>,
    fingerprint: string,
    nowMs: number,
    client: string,
    onRecord: (text: string) => void,
  ): BeginObserver {
    return transactionRecorder<Result>({
      key: this.#recordKey.name,
      client,
      times: { nowMs, expiresAtMs: nowMs + this.#idempotency.keepMs },
      toText: async (result, written, reader) => {
        const record: StoredRecord = {
          fingerprint,
          caller: this.#callerHash,
          result: await toRecord(result, written, reader),
        }
        const text = encryptRecord(this.#recordKey.secret, JSON.stringify(record))
        onRecord(text)
        return text
      },
    })
  }
}

function tooManyResults(waitMs: number): ApiError {
  return temporaryRefusal(
    'overloaded',
    'Too many results of requests with Idempotency-Key are kept. Try again when some have expired.',
    Math.ceil(waitMs / 1_000),
  )
}

/** The text of a record is this value as JSON, encrypted. */
interface StoredRecord {
  /** The hash of the method, the target, the media type and the body. */
  readonly fingerprint: string
  /** The hash of who sent it. */
  readonly caller: string
  readonly result: unknown
}
