import type { Service } from '../adapter/service.ts'
import { callerOrAddress } from '../context/caller-or-address.ts'
import type { Context } from '../context/context.ts'
import type { Feature, RequestHandler } from '../feature/feature.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import type { CrossSiteGuard } from '../http/cross-site-guard.ts'
import { refusedMethod } from '../http/route-problems.ts'
import { isSafe } from '../http/safe-method.ts'
import { checkOptions, type OptionChecks } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { withTakenPoints } from '../pipeline/refused-requests.ts'
import type { OpenRouter } from './opening.ts'
import { ownError, ownResponse } from './own-response.ts'

/** A request to a route of one's own. */
export interface RouteRequest<Caller = unknown> {
  readonly request: ApiRequest
  /** Who sent it; undefined for an anonymous request. */
  readonly caller: Caller | undefined
}

/** Responds to a request at a route of one's own. It may throw what `refuse` throws. */
export type RouteHandler<Caller = unknown> = (
  request: RouteRequest<Caller>,
) => ApiResponse | Promise<ApiResponse>

export interface OwnServiceOptions {
  /**
   * The methods that the routes have, in upper case: others are 405 with `Allow`, before the
   * handler runs, and pages of other origins may use these. `GET` includes `HEAD`. Default: the
   * handler gets every method.
   */
  readonly methods?: readonly string[]
}

const ownServiceOptions: OptionChecks<OwnServiceOptions> = { methods: true }

/** What a router lends to the routes beside it. */
interface OwnServiceParts {
  /** Resolves when the router is open. */
  open(): Promise<Pick<OpenRouter, 'authenticate' | 'limits'>>
  readonly refuseCrossSite: CrossSiteGuard
  readonly features: readonly Feature[]
  readonly onError: ((error: unknown) => void) | undefined
  /** `Vary` of responses that depend on the caller. */
  readonly vary: string
  encodeError(error: unknown, request: ApiRequest): ApiResponse
}

const defaultMethods = ['DELETE', 'GET', 'HEAD', 'PATCH', 'POST', 'PUT']

/** Runs a handler as the rules of the router run: with its callers, limits, features and errors. */
export function ownService<Caller>(
  basePath: string,
  handle: RouteHandler<Caller>,
  options: OwnServiceOptions,
  parts: OwnServiceParts,
): Service {
  checkHandler(basePath, handle)
  checkOptions('service()', options, ownServiceOptions)
  checkMethods(options.methods ?? defaultMethods)
  const methods = withHead(options.methods ?? defaultMethods)
  const allowedMethods = [...methods, 'OPTIONS']
  const handleRequest = async (request: ApiRequest): Promise<ApiResponse> => {
    try {
      const { authenticate, limits } = await parts.open()
      // Browsers send it without credentials, and by themselves.
      if (request.method === 'OPTIONS') {
        return { status: 204, headers: { allow: allowedMethods.join(', ') }, body: noBody }
      }
      if (options.methods && !methods.includes(request.method))
        await withTakenPoints(
          limits.flatMap(({ refusals }) => refusals ?? []),
          'path',
          request,
          refusedMethod(request.method, allowedMethods),
        )
      if (!isSafe(request)) parts.refuseCrossSite(request)
      const caller = (await authenticate?.(request)) as Caller | undefined
      if (request.trace) request.trace.caller = caller
      const sender: Pick<Context, 'request' | 'caller' | 'client'> = {
        request,
        caller,
        client: callerOrAddress({ request, caller }),
      }
      const run = async (index: number): Promise<ApiResponse> => {
        try {
          const limit = limits[index]
          if (limit) return await limit.ofRoute(sender, () => run(index + 1))
          const returned: unknown = await handle({ request, caller })
          return ownResponse(returned, request, { basePath, vary: parts.vary })
        } catch (error) {
          return ownError(parts.encodeError(error, request), request)
        }
      }
      return await run(0)
    } catch (error) {
      return ownError(parts.encodeError(error, request), request)
    }
  }
  return {
    basePath,
    respond: parts.features.reduce<RequestHandler>(
      (inner, feature) => feature.aroundService?.(inner, { basePath, methods }) ?? inner,
      handleRequest,
    ),
    ...(parts.onError && { onError: parts.onError }),
  }
}

function checkHandler(basePath: unknown, handle: unknown): void {
  if (typeof basePath !== 'string')
    throw new RegistrationError(
      `service() expects a path such as '/reports'; got ${String(basePath)}.`,
    )
  const parameter = /\/+(?:[:{*].*)$/.exec(basePath)
  if (parameter)
    throw new RegistrationError(
      `service('${basePath}') has a parameter. A service gets all paths below its own: use '${basePath.slice(0, parameter.index)}', and read the rest of request.path.`,
    )
  if (typeof handle !== 'function')
    throw new RegistrationError(
      `service('${basePath}') needs a handler, such as ({ caller }) => respond(200, {}, 'the report').`,
    )
}

function checkMethods(methods: unknown): void {
  if (Array.isArray(methods) && methods.every((name) => /^[A-Z]+$/.test(name))) return
  throw new RegistrationError(
    `The option 'methods' of service() must be an array of methods in upper case, such as ['GET', 'POST']; got ${JSON.stringify(methods)}.`,
  )
}

/** HEAD is what GET is, without the content (RFC 9110 §9.3.2). */
function withHead(methods: readonly string[]): readonly string[] {
  return [
    ...new Set(methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
  ].filter((method) => method !== 'OPTIONS')
}
