import { checkHeaderTypes, objectOfHeaders } from './headers/object-of-headers.ts'
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
 * Creates a response, for example in middleware. A text is sent as UTF-8, and bytes as they are;
 * the `content-type` is yours to set.
 *
 * ```ts
 * const teapot = respond(418, { 'content-type': 'text/plain' }, 'short and stout')
 * const pixel = respond(200, { 'content-type': 'image/gif' }, new Uint8Array([71, 73, 70]))
 * ```
 *
 * @param headers an object, or web `Headers`, such as those of a response of `fetch`; default: none
 * @param body default: an empty body
 * @throws TypeError for headers whose values are no texts, and for any other body
 */
export function respond(
  status: number,
  headers: ResponseHeaders | Headers = {},
  body?: string | Uint8Array,
): ApiResponse {
  const plain = objectOfHeaders(headers)
  checkHeaderTypes(plain)
  return { status, headers: plain, body: bodyOf(body) }
}

/** @throws TypeError for what is neither a text nor bytes */
function bodyOf(body: unknown): ResponseBody {
  if (body === undefined) return noBody
  if (typeof body === 'string') return { kind: 'text', text: body }
  if (body instanceof Uint8Array) return { kind: 'bytes', bytes: body }
  const shown = body === null ? 'null' : `a value of the type ${typeof body}`
  throw new TypeError(
    `The body of a response must be a string or a Uint8Array; got ${shown}. Pass JSON.stringify(value) for JSON.`,
  )
}
