import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import { joinHeaderValues, normalizeHeaderName } from '../http/headers/response-headers.ts'

/** Does the method or the status forbid a body (RFC 9110 §6.4.1)? */
export function isBodyless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}

/**
 * The `Content-Length`. For HEAD, that of GET, if it is known without the body.
 * @throws if the body has none
 */
export function contentLength(method: string, response: ApiResponse): string | undefined {
  const { status, headers, body } = response
  if (status === 204) return undefined
  if (status === 304 || (method === 'HEAD' && body.kind === 'empty'))
    return joinHeaderValues(headers['content-length'])
  if (body.kind === 'text') return String(Buffer.byteLength(body.text))
  if (body.kind === 'bytes') return byteLengthText(body.bytes.byteLength)
  if (body.kind === 'buffers')
    return byteLengthText(body.buffers.reduce((length, part) => length + part.byteLength, 0))
  if (body.kind === 'empty') return '0'
  return body.length?.toString()
}

/** @throws if the bytes are anything else, such as a text, which has no such length */
function byteLengthText(length: number): string {
  if (length >= 0) return String(length)
  throw new TypeError('The bytes of a response must be a Uint8Array, or an array of them.')
}

/** @throws if middleware or a service made a response that cannot be sent */
export function checkSendable(response: ApiResponse): void {
  checkStatusAndBody(response)
  checkHeaders(response)
}

/** @throws if a name or a value of a header is invalid */
export function checkHeaders({ headers }: ApiResponse): void {
  for (const name in headers) {
    const value = headers[name]
    if (typeof value === 'string') normalizeHeaderName(name, value)
    else checkLines(name, value)
  }
}

/** @throws if the values of a header are anything but an array of valid texts */
export function checkLines(name: string, values: unknown): void {
  for (const line of [values].flat()) normalizeHeaderName(name, line as string)
}

/** The part of `checkSendable` that is not about headers. */
export function checkStatusAndBody({ status, body }: ApiResponse): void {
  checkStatus(status)
  checkBody(body)
}

/** @throws if the body is of no known kind, or its text is none */
export function checkBody(body: ResponseBody): void {
  const { kind } = body
  switch (kind) {
    case 'text':
      if (typeof body.text !== 'string')
        throw new TypeError(`The text of a response must be a string; got ${String(body.text)}.`)
      return
    case 'empty':
    case 'bytes':
    case 'buffers':
    case 'stream':
      return
    default:
      throw new TypeError(`Unknown kind '${String(kind satisfies never)}' of a response body.`)
  }
}

/**
 * The host sets framing headers; those of a service could turn one response into two. It sends no
 * trailers, so it announces none either.
 */
export function isFramingHeader(name: string): boolean {
  switch (name.length) {
    case 7:
      return name.toLowerCase() === 'trailer'
    case 10:
      return name.toLowerCase() === 'connection'
    case 14:
      return name.toLowerCase() === 'content-length'
    case 17:
      return name.toLowerCase() === 'transfer-encoding'
    default:
      return false
  }
}

/** @throws if the status is not a final one (200 to 599) */
export function checkStatus(status: number): void {
  if (!(Number.isInteger(status) && status >= 200 && status <= 599))
    throw new Error(`The status of a response must be 200 to 599; got ${status}.`)
}
