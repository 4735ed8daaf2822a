import type { HandlerOfCaller } from './known-caller.ts'

/** What a router is of the service that `createRouter` makes. */
export type RouterPart =
  /** All of it, over its only store. */
  | { readonly kind: 'whole' }
  /** Finds the caller of each request, and has no data: it responds to what needs no store. */
  | { readonly kind: 'entrance'; readonly handlerOf: HandlerOfCaller }
  /** Responds with the data of one of several stores to callers who are known. */
  | { readonly kind: 'store'; readonly name: string }
