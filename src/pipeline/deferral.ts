import type { Context } from '../context/context.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { parsePrefer } from '../http/headers/prefer.ts'

/** What a request asks to be carried out after its response, once its hooks have let it pass. */
export interface DeferrableWork {
  readonly context: Context
  readonly kind: 'lines' | 'action'
  /** The chunks of the body. */
  readonly body: AsyncIterable<Uint8Array>
  /** Other preferences that are followed; undefined where there are none. */
  readonly preferences: string | undefined
}

/** Carries out requests after their responses. */
export interface Deferral {
  /** Can the caller find out how a request ends? */
  serves(context: Context): boolean
  /**
   * Keeps the request, and responds with 202.
   * @throws ApiError
   */
  defer(work: DeferrableWork): Promise<ApiResponse>
}

/** RFC 7240 §4.1. The preference has no value. */
export const respondAsync = 'respond-async'

/** Does the request prefer a response before it is carried out? */
export function prefersDeferral({ headers }: Pick<ApiRequest, 'headers'>): boolean {
  const { prefer } = headers
  return prefer !== undefined && parsePrefer(prefer).has(respondAsync)
}
