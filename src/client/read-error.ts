import { ClientError, type ClientProblem } from './client-error.ts'
import type { ReceivedDocument } from './format.ts'

/**
 * The error of a response, of either policy; also of a proxy, which has no problems.
 * @param pointerInto cuts off what the document of the request has around the values of the call
 */
export async function readError(
  response: Response,
  pointerInto: (pointer: string) => string,
): Promise<ClientError> {
  const document: ReceivedDocument = await response.json().catch(() => undefined)
  const errors: ReceivedDocument[] = Array.isArray(document?.errors) ? document.errors : []
  const problems = errors.map(({ source, ...problem }): ClientProblem => {
    const pointer = source?.pointer
    return {
      ...problem,
      status: Number(problem.status),
      ...source,
      ...(pointer !== undefined && { pointer: pointerInto(pointer) }),
    }
  })
  return new ClientError(response.status, problems, response.headers)
}
