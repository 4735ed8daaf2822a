import type { Context } from '../context/context.ts'
import type { WriteHooks } from '../context/write-hooks.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { IQuery } from '../query/iquery.ts'
import type { Declaration } from '../rule/declaration.ts'
import type { HookName } from '../rule/operations.ts'

/**
 * `any` runs for every operation, before the hooks that name the operation. `read` runs wherever an
 * item is read, and `write` for everything that changes items.
 */
export type Hook = 'any' | HookName

// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only checks returns nothing
export type RequestHookResult = ApiResponse | undefined | void

/**
 * Phase 1: checks the request, authenticates, sets headers. A returned response ends the request.
 */
export type RequestHook<Caller = unknown> = (
  context: Context<Caller>,
) => RequestHookResult | Promise<RequestHookResult>

/**
 * Phase 2: narrows, sorts or limits what the operation can see. It runs inside the store's
 * transactions, so it must be synchronous; look things up in phase 1, and leave them in
 * `context.state`.
 *
 * A hook of `create` has no stored item to narrow: it states what every written item must satisfy,
 * otherwise the write is undone (403). A hook of `write` states that too, and narrows which items
 * can be changed. Hooks of `any` do not state it: without a hook of `create` or `write`, a caller
 * can create items, or hand them over, that it cannot see afterwards.
 */
// biome-ignore lint/suspicious/noExplicitAny: see IQuery
export type QueryHook<Model = any, Caller = unknown> = (
  query: IQuery<Model>,
  context: Context<Caller>,
) => IQuery

/**
 * Runs around a request. `next` runs it, and resolves to its response, also where the request is
 * refused or fails; it can be called once. What the hook returns is sent: the response, another one
 * that it makes with `respond`, or its own without calling `next`.
 */
export type AroundHook<Caller = unknown> = (
  context: Context<Caller>,
  next: () => Promise<ApiResponse>,
) => ApiResponse | Promise<ApiResponse>

/**
 * Hooks that run around the operations of a model: all of phase 1, then all of phase 2, each in the
 * order of registration. With the class of a model, its query hooks know the fields of that model;
 * without one, they fit every model. With the type of the caller, its hooks know `context.caller`,
 * and fit routers with such callers only.
 *
 * ```ts
 * const onlyInStock: Middleware<Book> = {
 *   request: {
 *     create: ({ request }) => (request.headers['authorization'] ? undefined : respond(401)),
 *   },
 *   query: { getList: (query) => query.where('inStock').equal(true) },
 *   declares: { responses: { 401: { description: 'Sign in first' } } },
 * }
 * ```
 */
// biome-ignore lint/suspicious/noExplicitAny: see IQuery
export interface Middleware<Model = any, Caller = unknown> {
  readonly request?: { readonly [hook in Hook]?: RequestHook<Caller> }
  readonly query?: { readonly [hook in Hook]?: QueryHook<Model, Caller> }
  /** Hooks around every change of an item, whatever causes it. */
  readonly write?: WriteHooks<Model, Caller>
  /**
   * Runs around the whole request: before all other hooks, and until there is a response.
   *
   * ```ts
   * const timed: Middleware = {
   *   around: async (context, next) => {
   *     const startedAt = performance.now()
   *     const response = await next()
   *     console.log(context.request.path, response.status, performance.now() - startedAt)
   *     return response
   *   },
   * }
   * ```
   */
  readonly around?: AroundHook<Caller>
  /** What the hooks require and respond with, for the OpenAPI document. */
  readonly declares?: Declaration
}
