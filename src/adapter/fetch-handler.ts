import { isPromise } from '../concurrency/is-promise.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationFaults } from '../model/describe/registration-faults.ts'
import { checkServices } from './check-services.ts'
import { dispatcher } from './dispatch.ts'
import { type ErrorReporter, errorReporter } from './error-reporter.ts'
import { fetchResponse } from './fetch.ts'
import type { RequestLog } from './log/log-options.ts'
import { notFoundResponse } from './problem-response.ts'
import type { Service } from './service.ts'
import { startRedirect } from './start-redirect.ts'
import { FetchTrace } from './trace/fetch-trace.ts'
import { type TraceSink, traceRequests } from './trace/trace-requests.ts'
import { traceSinks } from './trace/trace-sinks.ts'
import { FetchExchange } from './trace/traced-exchange.ts'

export type { Service } from './service.ts'

export interface FetchHandlerOptions {
  /**
   * Reads the address of the client from what the server passes, for `request.address`: web
   * requests have none. Default: none.
   *
   * ```ts
   * const address = (_: FetchInput, info: unknown) =>
   *   (info as { remoteAddr: { hostname: string } }).remoteAddr.hostname // Deno.serve
   * const handle = fetchHandler(router, { address })
   * ```
   */
  readonly address?: (input: FetchInput, info: unknown) => string | undefined
  /**
   * Logs each request, and sends `X-Request-Id`. `bytes` are those of the body, and a streamed body
   * ends when the server has read it. Default: none.
   */
  readonly log?: RequestLog
  /**
   * Makes spans and metrics of requests, and of what stores and feeds do, with the package
   * `@opentelemetry/api`. Where the span of other instrumentation is active, it uses that one.
   * Default: false.
   */
  readonly telemetry?: boolean
  /** Sends `Server-Timing`: how long each stage took until the head, in ms. Default: false. */
  readonly serverTiming?: boolean
  /**
   * Called with unexpected errors outside of services, and of services without their own `onError`.
   * Default: standard error.
   */
  readonly onError?: (error: unknown) => void
}

/** A web request, or what a framework passes that has it. */
export type FetchInput =
  | Request
  /** SvelteKit, Astro, Remix. */
  | { readonly request: Request }
  /** Hono, which keeps the body if middleware has read it. */
  | { readonly req: { readonly raw: Request; arrayBuffer?(): Promise<ArrayBuffer> } }

/** Responds to a web request. `info` is what the server passes besides. */
export type FetchHandler = (input: FetchInput, info?: unknown) => Promise<Response>

/**
 * Handles web requests: as a handler of Hono, an endpoint of SvelteKit and Astro, a route of
 * Next.js, and `fetch` of other servers. The service with the longest matching base path responds;
 * requests for other paths are 404. The server has to limit how slowly clients send and read.
 *
 * ```ts
 * const handle = fetchHandler(router)
 * const response = await handle(new Request('http://localhost/api/books'))
 * ```
 *
 * @throws RegistrationError if two services have the same base path, and for unknown or invalid
 * options
 */
export function fetchHandler(
  services: Service | readonly Service[],
  options: FetchHandlerOptions = {},
): FetchHandler {
  const list = [services].flat() as readonly Service[]
  const faults = new RegistrationFaults()
  faults.attempt(() => checkOptions('fetchHandler()', options, fetchHandlerOptions))
  const given = Object(options) as FetchHandlerOptions
  const sinks = faults.attempt(() => traceSinks(given, 'fetchHandler()'))
  faults.attempt(() => checkServices(list, 'fetchHandler()'))
  faults.throwAll()
  const dispatch = dispatcher(list)
  const report = errorReporter(options.onError)
  for (const sink of sinks as readonly TraceSink[]) sink.open?.(report)
  const begin = traceRequests(sinks as readonly TraceSink[], report, {
    serverTiming: options.serverTiming === true,
  })
  const unknownService: Service = {
    basePath: '',
    respond: async (request) => startRedirect(list, request) ?? notFoundResponse(request.path),
  }
  return async (input, info) => {
    const request = await requestIn(input)
    const url = new URL(request.url)
    const known = dispatch(url.pathname)
    const service = known ?? unknownService
    const onError = service.onError ? (error: unknown) => service.onError?.(error) : report
    const address = addressIn(options, input, info, report)
    const exchange = begin && new FetchExchange(request, url)
    const trace = exchange && begin(exchange, url.pathname, address)
    if (!trace) return fetchResponse(service, request, onError, address)
    trace.service = known
    return fetchResponse(service, request, onError, address, new FetchTrace(trace, exchange))
  }
}

/** A function that throws, or returns anything else, names no client. */
function addressIn(
  { address: addressOf }: FetchHandlerOptions,
  input: FetchInput,
  info: unknown,
  report: ErrorReporter,
): string | undefined {
  try {
    const address: unknown = addressOf?.(input, info)
    if (address === undefined || typeof address === 'string') return address
    if (isPromise(address)) address.then(undefined, report)
    report(
      new TypeError("The option 'address' of fetchHandler() must return a string or undefined."),
    )
  } catch (error) {
    report(error)
  }
  return undefined
}

/** Requests of another implementation of fetch are no instances of `Request`. */
async function requestIn(input: FetchInput): Promise<Request> {
  if ('request' in input) return input.request
  if (!('req' in input)) return input
  const { req } = input
  const { raw } = req
  if (!raw.bodyUsed || req.arrayBuffer === undefined) return raw
  const { method, headers, signal, url } = raw
  return new Request(url, { method, headers, signal, body: await req.arrayBuffer() })
}

const fetchHandlerOptions: OptionChecks<FetchHandlerOptions> = {
  log: true,
  telemetry: 'boolean',
  serverTiming: 'boolean',
  address: 'function',
  onError: 'function',
}
