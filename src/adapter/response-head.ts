import type { ApiResponse } from '../http/api-response.ts'
import { joinHeaderValues, normalizeHeaderName } from '../http/headers/response-headers.ts'

/** Do a response's status and the request's method forbid a body (RFC 9110 §6.4.1)? */
export function isBodyless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304
}

/**
 * The `Content-Length` to send. HEAD says what GET would say, as far as that is known without
 * making the body.
 */
export function contentLength(method: string, response: ApiResponse): string | undefined {
  const { status, headers, body } = response
  if (status === 204) return undefined
  if (status === 304 || (method === 'HEAD' && body.kind === 'empty'))
    return joinHeaderValues(headers['content-length'])
  if (body.kind === 'text') return String(Buffer.byteLength(body.text))
  if (body.kind === 'bytes') return String(body.bytes.byteLength)
  if (body.kind === 'buffers')
    return String(body.buffers.reduce((length, part) => length + part.byteLength, 0))
  if (body.kind === 'empty') return '0'
  return body.length?.toString()
}

/**
 * @throws TypeError where code outside the service made an answer that nobody can send, which says
 * what is wrong with it
 */
export function checkSendable({ status, headers, body }: ApiResponse): void {
  checkStatus(status)
  for (const name in headers) {
    for (const value of [headers[name]].flat()) normalizeHeaderName(name, value as string)
  }
  const { kind } = body
  switch (kind) {
    case 'text':
      if (typeof body.text !== 'string')
        throw new TypeError(`The text of a response is ${String(body.text)}.`)
      return
    case 'empty':
    case 'bytes':
    case 'buffers':
    case 'stream':
      return
    default:
      throw new TypeError(
        `A response cannot have a body of the kind '${String(kind satisfies never)}'.`,
      )
  }
}

/** Framing is the host's business: a service's own opinion of it could turn one answer into two. */
export function isFramingHeader(name: string): boolean {
  switch (name.length) {
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

/** @throws when the status cannot end a request: 1xx only announces an answer. */
function checkStatus(status: number): void {
  if (!(Number.isInteger(status) && status >= 200 && status <= 599))
    throw new Error(`A response cannot have the status ${status}.`)
}
