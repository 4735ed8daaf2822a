import { SlowPatternError } from './bounded-pattern.ts'
import type { CompiledSchemas } from './compiled-schemas.ts'
import { noInformationLeak, noServerError, outcomeAsExpected } from './expectation/any-response.ts'
import { documentedResponse } from './expectation/documented-response.ts'
import { type Expectation, type Violation, violation } from './expectation/expectation.ts'
import type { PlannedRequest } from './plan/planned-request.ts'
import { RateLimitedError } from './rate-limits.ts'
import type { ServiceIds } from './read-service-state.ts'
import { NoResponseError } from './response-errors.ts'
import type { ServiceClient, ServiceResponse } from './service-client.ts'
import { ViolationError } from './violation-error.ts'

/** Sends a request and checks its response. */
export type VerifiedSend = (request: PlannedRequest) => Promise<ServiceResponse>

/**
 * @param ids tells which refused requests had the id of a deleted item
 * @throws ViolationError with the first violation of the response
 * @throws RateLimitedError if a rate limit refuses the request
 */
export function createVerifiedSend(
  service: ServiceClient,
  schemas: CompiledSchemas,
  ids?: Pick<ServiceIds, 'hasMissingId'>,
): VerifiedSend {
  const expectations: readonly Expectation[] = [
    noServerError,
    noInformationLeak,
    documentedResponse,
    outcomeAsExpected,
  ]
  return async (request) => {
    const response = await service.send(request).catch((error: Error) => {
      throw new ViolationError(
        violation(error instanceof NoResponseError ? error.kind : 'no-response', error.message),
        request,
      )
    })
    for (const expectation of expectations) {
      const violation = violationOf(expectation, request, response, schemas)
      if (!violation) continue
      // The check itself may have deleted an item of the request, through another one.
      if (violation.kind === 'right-request-refused' && (await ids?.hasMissingId(request))) break
      throw new ViolationError(violation, request)
    }
    if (response.status === 429) throw new RateLimitedError(request)
    return response
  }
}

/** A pattern of the document may hold the check itself. */
function violationOf(
  expectation: Expectation,
  request: PlannedRequest,
  response: ServiceResponse,
  schemas: CompiledSchemas,
): Violation | undefined {
  try {
    return expectation(request, response, schemas)
  } catch (error) {
    if (!(error instanceof SlowPatternError)) throw error
    return violation('slow-pattern', error.message)
  }
}
