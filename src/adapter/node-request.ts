import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { type ApiError, createApiError, refuse } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest, RequestBody, RequestHeaders } from '../http/api-request.ts'
import type { RequestTrace } from '../http/request-trace.ts'
import type { ClientAddress } from './client-address.ts'
import { clientSignal, isClientGone } from './node-signal.ts'

/**
 * @param addressOf reads the address of the client, when it is needed
 * @param headers those of the request, joined; changed if the target or a header demands it
 * @param url the target as the client sent it; frameworks cut off where they have mounted a handler
 * @param trace undefined where the request is not traced
 * @throws ApiError if the head of the request is invalid (RFC 9112 §3.2, RFC 9110 §10.1.1)
 */
export function apiRequest(
  res: ServerResponse,
  addressOf: ClientAddress,
  body: RequestBody | undefined,
  headers: IncomingHttpHeaders = res.req.headers,
  url: string = res.req.url ?? '/',
  trace?: RequestTrace,
): ApiRequest {
  const { req } = res
  const { method = '' } = req
  checkHost(headers.host, req.httpVersionMinor)
  if (headers.expect !== undefined) checkExpectation(headers.expect)
  if (headers['transfer-encoding'] !== undefined)
    checkTransferCoding(headers['transfer-encoding'], req.httpVersionMinor)
  // Node parses this header into a list; no request needs it.
  if (headers['set-cookie'] !== undefined) delete headers['set-cookie']
  const target = originForm(url, method, headers)
  const queryStart = target.indexOf('?')
  return new NodeRequest(
    method,
    queryStart < 0 ? target : target.slice(0, queryStart),
    queryStart < 0 ? '' : target.slice(queryStart + 1),
    headers as RequestHeaders,
    body,
    res,
    addressOf,
    trace,
  )
}

/** Creates its signal and finds its address lazily, because most requests never use them. */
class NodeRequest implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly query: string
  readonly headers: RequestHeaders
  readonly body: RequestBody | undefined
  readonly trace: RequestTrace | undefined
  readonly #res: ServerResponse
  readonly #addressOf: ClientAddress
  #signal: AbortSignal | undefined

  constructor(
    method: string,
    path: string,
    query: string,
    headers: RequestHeaders,
    body: RequestBody | undefined,
    res: ServerResponse,
    addressOf: ClientAddress,
    trace: RequestTrace | undefined,
  ) {
    this.method = method
    this.path = path
    this.query = query
    this.headers = headers
    this.body = body
    this.#res = res
    this.#addressOf = addressOf
    this.trace = trace
  }

  get address(): string | undefined {
    return this.#addressOf(this.#res.req.socket.remoteAddress, this.headers)
  }

  get signal(): AbortSignal {
    this.#signal ??= clientSignal(this.#res)
    return this.#signal
  }

  get isAborted(): boolean {
    return isClientGone(this.#res)
  }
}

/** Several `Host` lines are joined with commas, which a host cannot contain. */
const hostPattern = /^[\w.~!$&'()*+;=:%[\]-]*$/

function checkHost(value: string | undefined, minorVersion: number): void {
  if (value === undefined && minorVersion === 0) return
  if (value === undefined || !hostPattern.test(value))
    throw refuse(
      'malformed-request',
      'A request must have exactly one Host header, with a host name.',
      {
        header: 'host',
      },
    )
}

function checkExpectation(value: string): void {
  if (value.toLowerCase() !== '100-continue')
    throw refuse('expectation-failed', "The only supported expectation is '100-continue'.", {
      header: 'expect',
    })
}

/**
 * The parser decodes no other coding. HTTP/1.0 has none, and a proxy may have found another end of
 * such a request. The connection must close after both (RFC 9112 §6.1).
 */
function checkTransferCoding(value: string, minorVersion: number): void {
  if (minorVersion === 0)
    throw refuse(
      'malformed-request',
      'HTTP/1.0 has no transfer codings; expected a Content-Length.',
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
    `Unsupported transfer coding '${truncate(value)}'; expected 'chunked', or a Content-Length.`,
    { header: 'transfer-encoding' },
  )
}

/** The path of a target, without the query and the authority, for targets that may be malformed. */
export function pathOf(url: string): string {
  const end = url.indexOf('?')
  return (end < 0 ? url : url.slice(0, end)).replace(/^https?:\/\/[^/]*/i, '')
}

const absoluteFormPattern = /^https?:\/\/(?:[^/?#]*@)?([^/?#@]*)/i
const slash = 47

/** Path and query. The authority of an absolute target replaces the `Host` (RFC 9112 §3.2.2). */
function originForm(url: string, method: string, headers: IncomingHttpHeaders): string {
  if (url.includes('#'))
    throw refuse('malformed-request', 'The request target must not have a fragment.')
  if (url.charCodeAt(0) === slash || (url === '*' && method === 'OPTIONS')) return url
  const absolute = absoluteFormPattern.exec(url)
  if (!absolute)
    throw refuse('malformed-request', 'The request target must be a path or an http URL.')
  headers.host = absolute[1]
  const rest = url.slice(absolute[0].length)
  return rest.startsWith('/') ? rest : `/${rest}`
}
