import type { ResponseHeaders } from './headers/response-headers.ts'

/**
 * The body of a response. A stream is read as fast as the client reads, and closed if the client
 * disconnects. The host may free the memory of a chunk that nothing else uses (`ownBytes`) after it
 * was sent.
 */
export type ResponseBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** Several buffers, sent one after the other without a copy. */
  | { readonly kind: 'buffers'; readonly buffers: readonly Uint8Array[] }
  | {
      readonly kind: 'stream'
      readonly chunks: AsyncIterable<string | Uint8Array>
      readonly length?: number
    }

/** A response, independent of the host. */
export interface ApiResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: ResponseBody
}

export const noBody: ResponseBody = Object.freeze({ kind: 'empty' })

/**
 * Creates a response, for example in middleware.
 *
 * ```ts
 * const teapot = respond(418, { 'content-type': 'text/plain' }, 'short and stout')
 * ```
 */
export function respond(status: number, headers: ResponseHeaders = {}, text?: string): ApiResponse {
  return { status, headers, body: text === undefined ? noBody : { kind: 'text', text } }
}
