import type { IncomingMessage, ServerResponse } from 'node:http'
import { type ApiError, createApiError, refuse } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest, RequestBody, RequestHeaders } from '../http/api-request.ts'
import { clientSignal } from './node-signal.ts'

/**
 * @throws ApiError when the head of the request is not one that may be answered (RFC 9112 §3.2, RFC
 * 9110 §10.1.1).
 */
export function apiRequest(res: ServerResponse, body: RequestBody | undefined): ApiRequest {
  const { req } = res
  const { method = '', headers } = req
  checkHost(headers.host, req.httpVersionMinor)
  if (headers.expect !== undefined) checkExpectation(headers.expect)
  if (headers['transfer-encoding'] !== undefined)
    checkTransferCoding(headers['transfer-encoding'], req.httpVersionMinor)
  // Node gives this one header as a list, which no request has any use for.
  if (headers['set-cookie'] !== undefined) delete headers['set-cookie']
  const target = originForm(req)
  const mark = target.indexOf('?')
  return new NodeRequest(
    method,
    mark < 0 ? target : target.slice(0, mark),
    mark < 0 ? '' : target.slice(mark + 1),
    headers as RequestHeaders,
    body,
    res,
  )
}

/** Most requests are answered before anybody asks for their signal. */
class NodeRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: RequestHeaders
  readonly body: RequestBody | undefined
  readonly #res: ServerResponse
  #signal: AbortSignal | undefined

  constructor(
    method: string,
    path: string,
    query: string,
    headers: RequestHeaders,
    body: RequestBody | undefined,
    res: ServerResponse,
  ) {
    this.method = method
    this.path = path
    this.query = query
    this.headers = headers
    this.body = body
    this.#res = res
  }

  get signal(): AbortSignal {
    this.#signal ??= clientSignal(this.#res)
    return this.#signal
  }
}

/** Several `Host` lines arrive joined with commas, which no host has. */
const hostPattern = /^[\w.~!$&'()*+;=:%[\]-]*$/

function checkHost(value: string | undefined, minorVersion: number): void {
  if (value === undefined && minorVersion === 0) return
  if (value === undefined || !hostPattern.test(value))
    throw refuse('malformed-request', 'A request has one Host header with the name of a host.', {
      header: 'host',
    })
}

function checkExpectation(value: string): void {
  if (value.toLowerCase() !== '100-continue')
    throw refuse('expectation-failed', "The only expectation that can be met is '100-continue'.", {
      header: 'expect',
    })
}

/**
 * The parser undoes no other coding: the body would be read as what it is not. HTTP/1.0 knows none,
 * and who handed such a request on may have read its end elsewhere. The connection cannot be
 * trusted after either (RFC 9112 §6.1).
 */
function checkTransferCoding(value: string, minorVersion: number): void {
  if (minorVersion === 0)
    throw refuse(
      'malformed-request',
      'HTTP/1.0 has no transfer codings; a Content-Length is expected.',
      {
        header: 'transfer-encoding',
      },
    )
  if (!isChunked(value)) throw unknownTransferCoding(value)
}

export function isChunked(transferEncoding: string): boolean {
  return transferEncoding.toLowerCase() === 'chunked'
}

export function unknownTransferCoding(value: string): ApiError {
  return createApiError(
    'transfer-coding-not-implemented',
    `The transfer coding '${truncate(value)}' is not read here; expected is 'chunked', or a Content-Length.`,
    { header: 'transfer-encoding' },
  )
}

const absoluteFormPattern = /^https?:\/\/(?:[^/?#]*@)?([^/?#@]*)/i
const slash = 47

/**
 * Path and query of the request's target. The authority of an absolute target replaces the `Host`
 * (RFC 9112 §3.2.2).
 */
function originForm(req: IncomingMessage): string {
  const { url = '/', headers } = req
  if (url.includes('#'))
    throw refuse('malformed-request', 'The target of a request has no fragment.')
  if (url.charCodeAt(0) === slash || (url === '*' && req.method === 'OPTIONS')) return url
  const absolute = absoluteFormPattern.exec(url)
  if (!absolute)
    throw refuse('malformed-request', 'The target of a request is a path or an http address.')
  headers.host = absolute[1]
  const rest = url.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
