import type { CompiledSchemas } from './compiled-schemas.ts'
import { noInformationLeak, noServerError, outcomeAsExpected } from './expectation/any-response.ts'
import { documentedResponse } from './expectation/documented-response.ts'
import { type Expectation, violation } from './expectation/expectation.ts'
import type { PlannedRequest } from './plan/planned-request.ts'
import { ResponseTimeoutError, type ServiceClient, type ServiceResponse } from './service-client.ts'
import { ViolationError } from './violation-error.ts'

/** Sends a request and holds its answer to all that is expected of it. */
export type VerifiedSend = (request: PlannedRequest) => Promise<ServiceResponse>

/** @throws FoundFault with the first fault of the answer */
export function createVerifiedSend(service: ServiceClient, schemas: CompiledSchemas): VerifiedSend {
  const expectations: readonly Expectation[] = [
    noServerError,
    noInformationLeak,
    documentedResponse,
    outcomeAsExpected,
  ]
  return async (request) => {
    const answer = await service.send(request).catch((error: Error) => {
      throw new ViolationError(
        violation(error instanceof ResponseTimeoutError ? 'too-slow' : 'no-answer', error.message),
        request,
      )
    })
    for (const expectation of expectations) {
      const found = expectation(request, answer, schemas)
      if (found) throw new ViolationError(found, request)
    }
    return answer
  }
}
