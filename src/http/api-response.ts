import type { ResponseHeaders } from './headers/response-headers.ts'

/**
 * What a response carries. A stream is pulled only as fast as the client reads, and closed when the
 * client leaves. Its chunks are the host's, which may free those that nothing else uses
 * (`ownBytes`) once they are sent.
 */
export type ResponseBody =
  | { readonly kind: 'empty' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /**
   * Bytes that lie in several places, sent one after the other without being put together first.
   */
  | { readonly kind: 'parts'; readonly buffers: readonly Uint8Array[] }
  | {
      readonly kind: 'stream'
      readonly chunks: AsyncIterable<string | Uint8Array>
      readonly length?: number
    }

/** A response as every host can send it. */
export interface ApiResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: ResponseBody
}

export const noBody: ResponseBody = Object.freeze({ kind: 'empty' })

/**
 * A response made by hand, for example by middleware.
 *
 * ```ts
 * const teapot = respond(418, { 'content-type': 'text/plain' }, 'short and stout')
 * ```
 */
export function respond(status: number, headers: ResponseHeaders = {}, text?: string): ApiResponse {
  return { status, headers, body: text === undefined ? noBody : { kind: 'text', text } }
}
