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
  /**
   * Waits until what was found for the key is as safe as after a commit. Where commits wait for a
   * standby, what one of them wrote may be found although nobody confirmed it: its wait was
   * canceled, or the server was restarted meanwhile. Absent where what is found is safe.
   * @throws OutcomeUnknown if it takes too long
   */
  readonly confirm?: ((key: string) => Promise<void>) | undefined
  /** How much is kept, with what has expired. */
  usage(): Promise<RecordUsage>
  /** How much one client keeps. It may read only as many records as the share has. */
  usageOf(client: string, share: RecordShare, nowMs: number): Promise<ClientUsage>
  /** Removes records that have expired, at most `limit`. @returns their number */
  removeExpired(nowMs: number, limit: number): Promise<number>
}

/** How much is kept of all clients. */
export interface RecordUsage {
  readonly records: number
  /** UTF-8 bytes of the results. */
  readonly bytes: number
  /** When the first of them expires, in milliseconds since 1970; undefined if there are none. */
  readonly firstExpiryMs: number | undefined
}

/** How much one client may keep. */
export interface RecordShare {
  readonly records: number
  /** UTF-8 bytes of the results. */
  readonly bytes: number
}

/** What one client keeps that has not expired. */
export interface ClientUsage extends RecordShare {
  /**
   * When so much of it has expired that fewer records and fewer bytes than the share are left, in
   * milliseconds since 1970; undefined if that is so now.
   */
  readonly fullUntilMs: number | undefined
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
   * @param client names who keeps the record: at most 64 ASCII characters
   * @returns the result of the other request, if its transaction was committed
   */
  reserve(key: string, client: string, times: RecordTimes): Promise<string | undefined>
  /** Writes the result of the request that has reserved the key. */
  write(key: string, result: string): Promise<void>
  /** Gives the key back, where the request goes on in another transaction. */
  release(key: string): Promise<void>
}
