import { type Clock, type Context, DerivedContext, RequestContext } from '../context/context.ts'
import type { ApiRequest, PathParams, RequestBody, RequestHeaders } from '../http/api-request.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { Actor } from './item-environment.ts'

/** What an operation reads from its request. */
export interface CodeRequest {
  readonly params: PathParams
  readonly headers?: RequestHeaders
  readonly body?: RequestBody
}

/** The context of an operation that code runs. No client has sent its request. */
export function codeContext(
  actor: Actor,
  rule: ModelRule,
  { params, headers = {}, body }: CodeRequest,
  clock: Clock,
): Context {
  const path = rule.path.replace(/:(\w+)/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  )
  const request: ApiRequest = { method: rule.method, path, query: '', headers, body }
  if (actor.kind === 'service') return new RequestContext(request, rule, params, clock)
  const callerHeaders = withoutEntityHeaders(actor.context.request.headers)
  return new DerivedContext(actor.context, {
    request: { ...request, headers: { ...callerHeaders, ...headers } },
    rule,
    params,
  })
}

/** Preconditions and the body of the request of the caller are about something else. */
function withoutEntityHeaders(headers: RequestHeaders): RequestHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !entityHeader.test(name)))
}

const entityHeader = /^(if-|content-|range$|expect$|transfer-encoding$|digest$|repr-digest$)/
