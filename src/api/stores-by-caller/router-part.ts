import type { HandlerOfCaller } from '../../pipeline/store-pipeline.ts'

/** The role of a router within one over several stores. */
export type RouterPart =
  /** Finds the caller of each request, and has no data: it responds to what needs no store. */
  | { readonly kind: 'entrance'; readonly handlerOf: HandlerOfCaller }
  /** Responds with the data of one store to callers who are known. */
  | { readonly kind: 'store'; readonly name: string }
