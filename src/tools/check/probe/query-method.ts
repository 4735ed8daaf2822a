import type { DescribedOperation } from '../described-operation.ts'
import { violation } from '../expectation/expectation.ts'
import type { PlannedRequest } from '../plan/planned-request.ts'
import type { ServiceResponse } from '../service-client.ts'
import type { VerifiedSend } from '../verified-send.ts'
import { ViolationError } from '../violation-error.ts'

const formMediaType = 'application/x-www-form-urlencoded'

/** A response to a longer query need not have links, which would be too long. */
const maxLinkedQuery = 1_500

/** Can clients read it with QUERY too? A document of OpenAPI 3.1 has no operation for it. */
export function takesQuery({ method, allow }: DescribedOperation): boolean {
  return method === 'GET' && allow.has('QUERY')
}

/**
 * Sends the parameters of a GET as the body of QUERY (RFC 10008): the response is the same, unless
 * two GETs around it differ too.
 * @throws ViolationError if it differs
 */
export async function compareQuery(get: PlannedRequest, send: VerifiedSend): Promise<void> {
  const [path, query = ''] = get.requestTarget.split('?', 2) as [string, string?]
  if (query.length > maxLinkedQuery) return
  const request: PlannedRequest = {
    ...get,
    method: 'QUERY',
    requestTarget: path,
    headers: { ...get.headers, 'content-type': formMediaType },
    body: query,
  }
  const before = await send(get)
  const response = await send(request)
  const after = await send(get)
  if (!isSame(before, after) || isSame(before, response)) return
  throw new ViolationError(
    violation(
      'query-differs',
      `QUERY with the same parameters has the status ${response.status} where GET has ${before.status}, or another body.`,
    ),
    request,
  )
}

function isSame(one: ServiceResponse, other: ServiceResponse): boolean {
  return one.status === other.status && one.body.equals(other.body)
}
