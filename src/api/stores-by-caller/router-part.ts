import type { HandlerOfCaller } from '../../pipeline/store-pipeline.ts'

/** What a router is of one whose callers decide which store responds. */
export type RouterPart =
  /** Finds the caller of each request, and has no data: it responds to what needs no store. */
  | { readonly kind: 'entrance'; readonly handlerOf: HandlerOfCaller }
  /** Responds with the data of one store to callers who are known. */
  | { readonly kind: 'store'; readonly name: string }
