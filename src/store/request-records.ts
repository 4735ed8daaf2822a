/**
 * Keeps the results of requests that clients may send again (`Idempotency-Key`), each until it
 * expires.
 */
export interface RequestRecords {
  /** Has the data a place for them? Known once the store is open. */
  areKept(): boolean
  /**
   * The result of a request whose transaction is committed, as it is written at the moment: never
   * from a replica. Undefined if there is none, or if it has expired.
   */
  find(key: string, nowMs: number): Promise<string | undefined>
  /** How many there are, with those that have expired. */
  count(): Promise<number>
  /** Removes records that have expired, at most `limit`. @returns their number */
  removeExpired(nowMs: number, limit: number): Promise<number>
}

/** When a record is made, and when it expires, in milliseconds since 1970. */
export interface RecordTimes {
  readonly nowMs: number
  readonly expiresAtMs: number
}

/** The records within one transaction: they are committed with its writes, or not at all. */
export interface RequestRecordWriter {
  /**
   * Reserves the key, for one request of all processes: waits while another transaction has
   * reserved it. Call it before anything else of the transaction.
   * @returns the result of the other request, if its transaction was committed
   */
  reserve(key: string, times: RecordTimes): Promise<string | undefined>
  /** Writes the result of the request that has reserved the key. */
  write(key: string, result: string): Promise<void>
  /** Gives the key back, where the request goes on in another transaction. */
  release(key: string): Promise<void>
}
