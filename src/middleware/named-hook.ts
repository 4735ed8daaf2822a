import type { Hook, QueryHook, RequestHook } from './middleware.ts'

/** A hook, and the name under which its middleware declares it. */
export interface NamedHook<Run> {
  readonly name: Hook
  readonly run: Run
}

export type NamedRequestHook = NamedHook<RequestHook>
export type NamedQueryHook = NamedHook<QueryHook>
