/** Who waits for a store, such as the context of a request. */
export interface StoreCall {
  /**
   * Aborted when the caller leaves. The store then drops queued calls, stops running ones within a
   * second, and rejects with the signal's reason. Read it only where work may take long, because
   * the first read may create it.
   */
  readonly signal: AbortSignal
  /** False while the signal is not aborted, and need not be created to see that. */
  readonly isAborted?: boolean | undefined
  /**
   * Names who sent the request: its caller, or the address of an anonymous one. Stores let clients
   * take turns, so that no one of them uses up what all share. Undefined where no request asks.
   */
  readonly client?: string | undefined
  /** Who sent the request, for what rules of access keep from some callers. */
  readonly caller?: unknown
  /** When the request was sent, for rules of access that compare with it. */
  readonly now?: Date | undefined
  /**
   * May the transaction change more than a few items? The store then has to be able to undo it
   * quickly, however many items it changes.
   */
  readonly mayChangeMany?: boolean
  /** What request hooks left, such as the user, by the keys that `stateKey` made. */
  readonly state?: CallerState | undefined
  /** What the client has written, if the store has write positions. */
  readonly writes?: CallerWrites | undefined
}

/** The state of a request, for stores that read it. */
export interface CallerState {
  get<Value>(key: { readonly name: string; readonly value?: Value }): Value | undefined
}

/**
 * What one client has written, for stores that read from replicas. All calls for one request have
 * the same object.
 */
export interface CallerWrites {
  /** The write position that the client sent. Reads have to see what was written before it. */
  readonly knownPosition: string | undefined
  /** Called after each commit, with its write position if that could be read. */
  committed(position: string | undefined): void
  /** Has this request committed anything? Its reads have to see that. */
  readonly hasCommitted: boolean
}

/** A store that says how far it has been written, so that clients read their own writes. */
export interface WritePositions {
  /** May a client have got this text from the store? */
  isValid(text: string): boolean
}
