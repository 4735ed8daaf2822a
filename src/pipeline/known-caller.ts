import type { CredentialFacts } from '../authentication/authenticate.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'

/** The caller of a request that is authenticated already. */
export interface KnownCaller extends CredentialFacts {
  readonly caller: unknown
}

/** Handles a request of a caller who is known. */
export type KnownCallerHandler = (request: ApiRequest, known: KnownCaller) => Promise<ApiResponse>

/**
 * What handles the requests of a caller, with the store of that caller.
 * @throws ApiError where the caller has none
 */
export type HandlerOfCaller = (caller: unknown) => KnownCallerHandler
