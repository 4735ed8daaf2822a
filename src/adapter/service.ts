import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'

/**
 * What a host serves: a router, or anything else that answers plain requests. It answers the
 * addresses at and below its base path, and is given paths as they were sent, base path included.
 *
 * ```ts
 * const ping: Service = { basePath: '/ping', respond: async () => respond(200, {}, 'pong') }
 * ```
 */
export interface Service {
  /** `/api`; an empty one stands for every address. */
  readonly basePath: string
  /** Never rejects: errors are answers, too. A rejection is answered as an opaque 500. */
  respond(request: ApiRequest): Promise<ApiResponse>
  /**
   * Is told of what goes wrong while its answers are sent; `onError` of the host where it is
   * absent.
   */
  report?(error: unknown): void
  /** Makes it ready to answer, so that what is wrong with it shows before the host listens. */
  open?(): Promise<void>
  /** Lets go of what the service holds, once its last request is answered. */
  close?(): Promise<void>
}
