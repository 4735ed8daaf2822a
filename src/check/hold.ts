import { justice, noLeak, noServerError } from './expectation/any-answer.ts'
import { describedAnswer } from './expectation/described-answer.ts'
import { type Expectation, fault } from './expectation/expectation.ts'
import { FoundFault } from './found-fault.ts'
import type { PlannedRequest } from './plan/planned-request.ts'
import type { Schemas } from './schemas.ts'
import { type Answer, type Service, TooSlow } from './send.ts'

/** Sends a request and holds its answer to all that is expected of it. */
export type Hold = (request: PlannedRequest) => Promise<Answer>

/** @throws FoundFault with the first fault of the answer */
export function holder(service: Service, schemas: Schemas): Hold {
  const expectations: readonly Expectation[] = [noServerError, noLeak, describedAnswer, justice]
  return async (request) => {
    const answer = await service.send(request).catch((error: Error) => {
      throw new FoundFault(fault(error instanceof TooSlow ? 'too-slow' : 'no-answer', error.message), request)
    })
    for (const expectation of expectations) {
      const found = expectation(request, answer, schemas)
      if (found) throw new FoundFault(found, request)
    }
    return answer
  }
}
