import type { State } from '../../state/state.ts'

/** What `from` of a field can read of the request. Every `Context` is one. */
export interface RequestContext {
  readonly request: {
    readonly method: string
    /** The path, percent-encoded, without the query string. */
    readonly path: string
    /** The query string, percent-encoded, without the question mark. */
    readonly query: string
    /** By lower-case name. */
    readonly headers: Readonly<Record<string, string | undefined>>
    /** The IP address of the client; undefined where the host does not know it. */
    readonly address?: string | undefined
  }
  /** The identifier in the path; undefined for POST. */
  readonly id: string | undefined
  /** Who sent the request, as `security.callerSchema` validates it; undefined if anonymous. */
  readonly caller: unknown
  /** What request hooks have left. */
  readonly state: State
}

/**
 * Makes a value of a new item from the request. Undefined means that there is none.
 *
 * `sent` is what the client sent for the member, before it is validated: the JSON value of a field,
 * or the id of a relation; undefined if it sent nothing. Return it to let the client choose.
 */
export type ValueFromRequest<Value = unknown> = (
  context: RequestContext,
  sent: unknown,
) => Value | undefined
