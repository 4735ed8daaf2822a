import type { IncomingMessage } from 'node:http'
import type { ApiRequest } from '../http/api-request.ts'
import { canonicalAddress } from '../http/headers/forwarded.ts'
import { joinedHeaders } from './joined-headers.ts'
import { webRequest } from './web-request.ts'

/** A request of a host: of fetch, `node:http`, Connect, Express or Fastify, or a plain one. */
export type ForeignRequest =
  | ApiRequest
  | Request
  | (IncomingMessage & { readonly originalUrl?: string; readonly ip?: string | undefined })
  | { readonly raw: IncomingMessage; readonly ip?: string }

/**
 * The request without its body, which stays with the host.
 * @param address that of the client; by default what the framework says (`ip`), or the connection
 */
export function foreignRequest(request: ForeignRequest, address?: string): ApiRequest {
  if (request instanceof Request || isWebRequest(request)) return webRequest(request, address)
  if ('path' in request && typeof request.query === 'string')
    return address === undefined ? request : { ...plainOf(request), address }
  const message = 'raw' in request ? request.raw : (request as IncomingMessage)
  const { originalUrl, ip } = request as { readonly originalUrl?: string; readonly ip?: string }
  const target = originalUrl ?? message.url ?? '/'
  const queryStart = target.indexOf('?')
  const known = address ?? ip ?? message.socket.remoteAddress
  return {
    method: message.method ?? 'GET',
    path: queryStart < 0 ? target : target.slice(0, queryStart),
    query: queryStart < 0 ? '' : target.slice(queryStart + 1),
    headers: joinedHeaders(message) as ApiRequest['headers'],
    body: undefined,
    address: known && canonicalAddress(known),
  }
}

/** Requests of another implementation of fetch are no instances of `Request`. */
function isWebRequest(request: object): request is Request {
  const { headers } = request as { readonly headers?: { readonly get?: unknown } }
  return typeof headers?.get === 'function'
}

function plainOf({ method, path, query, headers, body, signal }: ApiRequest): ApiRequest {
  return { method, path, query, headers, body, signal }
}
