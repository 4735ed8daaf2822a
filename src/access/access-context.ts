/** Who asks, and when: what a rule compares the item with. Every `Context` is one. */
export interface AccessContext {
  /** Undefined for an anonymous request. */
  readonly caller?: unknown
  /** Decided once for each request. Without it, no comparison with `now` holds. */
  readonly now?: Date | undefined
}

/** An anonymous request at no time. */
export const noAccessContext: AccessContext = Object.freeze({})
