import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { type ErrorReporter, errorReporter } from './error-reporter.ts'
import { fetchBody } from './fetch-body.ts'
import { fetchStream } from './fetch-stream.ts'
import { toProblemResponse } from './problem-response.ts'
import { checkSendable, contentLength, isBodyless, isFramingHeader } from './response-head.ts'
import type { Service } from './service.ts'
import { closeUnsentBody } from './stream-body.ts'
import type { FetchTrace } from './trace/fetch-trace.ts'
import { noteErrors } from './trace/note-errors.ts'
import type { ServerTrace } from './trace/server-trace.ts'
import { webRequest } from './web-request.ts'

/**
 * Handles a web `Request` and returns a web `Response`, for hosts with the fetch API, and for tests
 * without a socket. The host has to apply timeouts.
 *
 * ```ts
 * const response = await fetchResponse(service, new Request('http://localhost/api/books'))
 * ```
 */
export async function fetchResponse(
  service: Service,
  request: Request,
  onError?: ErrorReporter,
  address?: string,
  traced?: FetchTrace,
): Promise<Response> {
  const report = errorReporter(onError)
  const { trace } = traced ?? {}
  const send = (response: ApiResponse) =>
    webResponse(request, trace ? trace.respond(response) : response, report, traced)
  try {
    const apiRequest = { ...webRequest(request, address), body: fetchBody(request), trace }
    return await send(await respondTo(service, apiRequest, trace))
  } catch (error) {
    return send(toProblemResponse(error, report, trace))
  }
}

function respondTo(
  service: Service,
  request: ApiRequest,
  trace: ServerTrace | undefined,
): Promise<ApiResponse> {
  return trace ? trace.run(() => service.respond(request)) : service.respond(request)
}

async function webResponse(
  request: Request,
  response: ApiResponse,
  report: ErrorReporter,
  traced: FetchTrace | undefined,
): Promise<Response> {
  try {
    return await responseOf(request, response, report, traced)
  } catch (error) {
    closeUnsentBody(response, report)
    throw error
  }
}

async function responseOf(
  request: Request,
  response: ApiResponse,
  report: ErrorReporter,
  traced: FetchTrace | undefined,
): Promise<Response> {
  const { status, body } = response
  checkSendable(response)
  const headers = new Headers()
  for (const name in response.headers) {
    if (isFramingHeader(name)) continue
    const value = response.headers[name]!
    if (typeof value === 'string') headers.set(name, value)
    else for (const line of value) headers.append(name, line)
  }
  const length = contentLength(request.method, response)
  if (length !== undefined) headers.set('content-length', length)
  if (isBodyless(request.method, status) || body.kind === 'empty') {
    const bodyless = new Response(null, { status, headers })
    closeUnsentBody(response, report)
    traced?.sent(status, 0)
    return bodyless
  }
  if (body.kind === 'stream') {
    const noting = traced ? noteErrors(report, traced.trace) : report
    const stream = await fetchStream(body, request.signal, noting, traced)
    const streamed = new Response(stream, { status, headers })
    traced?.began(status)
    return streamed
  }
  const whole = new Response(wholeBody(body), { status, headers })
  traced?.sent(status, Number(length))
  return whole
}

function wholeBody(
  body: Extract<ApiResponse['body'], { readonly kind: 'text' | 'bytes' | 'buffers' }>,
): ConstructorParameters<typeof Response>[0] {
  if (body.kind === 'text') return body.text
  return body.kind === 'bytes' ? body.bytes : Buffer.concat(body.buffers)
}
