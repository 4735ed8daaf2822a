import type { Context } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { IQuery } from '../query/iquery.ts'
import type { Declaration } from '../rule/declaration.ts'
import type { HookName } from '../rule/operations.ts'

/** `any` runs for every operation, before the hooks that name it. */
export type Hook = 'any' | HookName

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only checks returns nothing
type RequestHookResult = ApiResponse | undefined | void

/**
 * Phase 1: checks the request, authenticates, sets headers. A response it returns ends the request.
 */
export type RequestHook = (context: Context) => RequestHookResult | Promise<RequestHookResult>

/**
 * Phase 2: narrows, sorts or limits what the operation can see. It runs inside the store's
 * transactions, so it decides at once; what it needs to know is found out in phase 1 and left in
 * `context.state`. There is nothing stored yet that one of `create` could narrow: it says what an
 * item has to be after every write, else the write is undone (403). Those of `any` do not say so:
 * without one of `create`, a caller can create items, or hand them over, that it does not see
 * afterwards.
 */
export type QueryHook = (query: IQuery, context: Context) => IQuery

/**
 * Hooks that run around the operations of a model: all of phase 1, then all of phase 2, each in the
 * order of registration.
 *
 * ```ts
 * const onlyInStock: Middleware = {
 *   request: { create: (context) => (context.request.headers['authorization'] ? undefined : respond(401)) },
 *   query: { getList: (query) => query.where('inStock').equal(true) },
 *   declares: { responses: { 401: { description: 'Sign in first' } } },
 * }
 * ```
 */
export interface Middleware {
  readonly request?: { readonly [hook in Hook]?: RequestHook }
  readonly query?: { readonly [hook in Hook]?: QueryHook }
  /** What the hooks ask and answer, for the document of each operation that they run for. */
  readonly declares?: Declaration
}
