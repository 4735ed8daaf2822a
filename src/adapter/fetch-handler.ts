import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { checkServices } from './check-services.ts'
import { dispatcher } from './dispatch.ts'
import { errorReporter } from './error-reporter.ts'
import { fetchResponse } from './fetch.ts'
import { notFoundResponse } from './problem-response.ts'
import type { Service } from './service.ts'
import { startRedirect } from './start-redirect.ts'

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
 * @throws RegistrationError if two services have the same base path, and for an unknown option
 */
export function fetchHandler(
  services: Service | readonly Service[],
  options: FetchHandlerOptions = {},
): FetchHandler {
  checkOptions('fetchHandler()', options, fetchHandlerOptions)
  const list = [services].flat() as readonly Service[]
  checkServices(list, 'fetchHandler()')
  const dispatch = dispatcher(list)
  const report = errorReporter(options.onError)
  const unknownService: Service = {
    basePath: '',
    respond: async (request) => startRedirect(list, request) ?? notFoundResponse(request.path),
  }
  return async (input, info) => {
    const request = await requestIn(input)
    const service = dispatch(new URL(request.url).pathname) ?? unknownService
    const onError = service.onError ? (error: unknown) => service.onError?.(error) : report
    return fetchResponse(service, request, onError, options.address?.(input, info))
  }
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
  address: 'function',
  onError: 'function',
}
