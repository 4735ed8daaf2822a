import type { ApiResponse } from '../http/api-response.ts'
import { closeUnsent } from './chunks.ts'
import { fetchBody } from './fetch-body.ts'
import { fetchStream } from './fetch-stream.ts'
import type { Service } from './host.ts'
import { answerTo } from './problem-response.ts'
import { type Report, reporter } from './report.ts'
import { checkSendable, contentLength, isBodyless, isFraming } from './response-head.ts'

/**
 * Answers a web `Request` with a web `Response`: for hosts that speak fetch, and for tests without a socket. Time limits
 * are the host's business here.
 *
 * ```ts
 * const response = await fetchResponse(service, new Request('http://localhost/api/books'))
 * ```
 */
export async function fetchResponse(service: Service, request: Request, onError?: Report): Promise<Response> {
  const report = reporter(onError)
  try {
    return await webResponse(request, await answer(service, request), report)
  } catch (error) {
    return webResponse(request, answerTo(error, report), report)
  }
}

function answer(service: Service, request: Request): Promise<ApiResponse> {
  const { pathname, search, host } = new URL(request.url)
  return service.respond({
    method: request.method,
    path: pathname,
    query: search.slice(1),
    // Web requests have it in their address.
    headers: { host, ...Object.fromEntries(request.headers) },
    body: fetchBody(request),
    signal: request.signal,
  })
}

async function webResponse(request: Request, response: ApiResponse, report: Report): Promise<Response> {
  try {
    return await responseOf(request, response, report)
  } catch (error) {
    closeUnsent(response, report)
    throw error
  }
}

async function responseOf(request: Request, response: ApiResponse, report: Report): Promise<Response> {
  const { status, body } = response
  checkSendable(response)
  const headers = new Headers()
  for (const name in response.headers) {
    if (isFraming(name)) continue
    const value = response.headers[name]!
    if (typeof value === 'string') headers.set(name, value)
    else for (const one of value) headers.append(name, one)
  }
  const length = contentLength(request.method, response)
  if (length !== undefined) headers.set('content-length', length)
  if (isBodyless(request.method, status) || body.kind === 'empty') {
    closeUnsent(response, report)
    return new Response(null, { status, headers })
  }
  if (body.kind === 'text') return new Response(body.text, { status, headers })
  if (body.kind === 'bytes') return new Response(body.bytes, { status, headers })
  if (body.kind === 'parts') return new Response(Buffer.concat(body.parts), { status, headers })
  return new Response(await fetchStream(body, request.signal, report), { status, headers })
}
