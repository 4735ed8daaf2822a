import type { Authenticate } from '../authentication/authenticate.ts'
import type { RequestHandler } from '../feature/feature.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { ClientLimit } from '../middleware/client-limit.ts'
import type { KnownCallerHandler } from '../pipeline/known-caller.ts'
import { openUnlessImported } from './without-opening.ts'

/** A router that handles requests. */
export interface OpenRouter {
  readonly handle: RequestHandler
  /** Handles requests whose callers are known, without what features do around the rules. */
  readonly handleKnown: KnownCallerHandler
  /** Undefined where all callers are anonymous. */
  readonly authenticate: Authenticate | undefined
  /** Limits of the middleware of the router. */
  readonly limits: readonly ClientLimit[]
}

/** Opens a router once: with its first request, or before. */
export interface Opening {
  isOpen(): boolean
  /** @throws what opening it throws; the next call tries again */
  open(): Promise<OpenRouter>
  /** Handles a request with the open router, or with an error if it cannot be opened. */
  readonly handle: RequestHandler
}

export function openOnce(
  openRouter: () => Promise<OpenRouter>,
  encodeError: (error: unknown, request: ApiRequest) => ApiResponse,
): Opening {
  let handle: RequestHandler | undefined
  let opening: Promise<OpenRouter> | undefined
  const openNow = async (): Promise<OpenRouter> => {
    const router = await openRouter()
    handle = router.handle
    return router
  }
  const open = async (): Promise<OpenRouter> => {
    opening ??= openUnlessImported(openNow)
    try {
      return await opening
    } catch (error) {
      opening = undefined
      throw error
    }
  }
  const openAndHandle: RequestHandler = async (request) => {
    try {
      const router = await open()
      return await router.handle(request)
    } catch (error) {
      return encodeError(error, request)
    }
  }
  return {
    isOpen: () => handle !== undefined,
    open,
    handle: (request) => (handle ? handle(request) : openAndHandle(request)),
  }
}
