import type { ServerTrace } from './server-trace.ts'

/** The bounds of buckets for durations, in seconds, that the conventions name. */
export const durationBuckets: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]

type Labels = Record<string, string | number>

/** Those of RFC 9110, RFC 5789 and RFC 10008, as the conventions list them. */
const knownMethods = new Set([
  'CONNECT',
  'DELETE',
  'GET',
  'HEAD',
  'OPTIONS',
  'PATCH',
  'POST',
  'PUT',
  'QUERY',
  'TRACE',
])

/** Clients can send any method, and each would be a figure of its own. */
function knownMethod(method: string): string {
  return knownMethods.has(method) ? method : '_OTHER'
}

/** The name of a span. */
export function spanName({ exchange: { method }, template }: ServerTrace): string {
  const verb = knownMethods.has(method) ? method : 'HTTP'
  return template === undefined ? verb : `${verb} ${template}`
}

/** What is known of a request before its response. */
export function activeLabels({ exchange: { method, scheme } }: ServerTrace): Labels {
  return { 'http.request.method': knownMethod(method), 'url.scheme': scheme }
}

/** The labels of metrics of requests: they hold no ids, and nothing that clients choose. */
export function requestLabels(trace: ServerTrace): Labels {
  const { template, exchange } = trace
  const { status, httpVersion } = exchange
  const errorType = errorTypeOf(trace)
  return {
    ...activeLabels(trace),
    ...(httpVersion !== undefined && { 'network.protocol.version': httpVersion }),
    ...(template !== undefined && { 'http.route': template }),
    ...(status !== undefined && { 'http.response.status_code': status }),
    ...(errorType !== undefined && { 'error.type': errorType }),
  }
}

/** What is known of a request when its span begins. */
export function spanAttributes(trace: ServerTrace): Labels {
  const { method, target, httpVersion } = trace.exchange
  const queryStart = target.indexOf('?')
  return {
    ...activeLabels(trace),
    ...(knownMethod(method) !== method && { 'http.request.method_original': method }),
    'url.path': trace.path,
    ...(queryStart >= 0 && { 'url.query': redactedQuery(target.slice(queryStart + 1)) }),
    ...(httpVersion !== undefined && { 'network.protocol.version': httpVersion }),
  }
}

/** Only what the service is responsible for: a response of 4xx is no error of the server. */
function errorTypeOf({ code, error, exchange }: ServerTrace): string | undefined {
  const { status, isFinished } = exchange
  if (status !== undefined && status >= 500) return code ?? String(status)
  if (isFinished) return undefined
  return error === undefined ? 'aborted' : code
}

/** Names of parameters say how the API is used; all else is data, and may be a secret. */
function redactedQuery(query: string): string {
  return query.split('&').map(redactedParameter).join('&')
}

function redactedParameter(parameter: string): string {
  const end = parameter.search(/=|%3d/i)
  return end > 0 && parameter.includes('=') ? `${parameter.slice(0, end)}=REDACTED` : 'REDACTED'
}
