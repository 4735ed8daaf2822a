import { memoizeBy } from '../cache/memoize-by.ts'
import { refuse, refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import type { ApiRequest } from '../http/api-request.ts'
import { requestWithQuery } from '../http/derived-request.ts'
import { parseQuery, type QueryParameterEntry } from '../http/query-string.ts'
import type { QueryParameter } from '../rule/query-parameter.ts'
import type { QueryRequest } from '../rule/request-shape.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { Rule } from '../rule/rule.ts'
import { refuseUnsupportedBody } from './negotiate.ts'

/**
 * The request with the query string that its body has, as hooks, limits and operations read it.
 * Credentials stay in the address, where authenticators look for them.
 * @throws ApiError for a body that is no query string, and for other parameters in the address
 */
export async function readQuery(
  { method, parameters }: Rule,
  shape: QueryRequest,
  request: ApiRequest,
  { maxQueryBytes }: Pick<RouterLimits, 'maxQueryBytes'>,
): Promise<ApiRequest> {
  refuseUnsupportedBody(request, shape, method)
  const credentials = credentialsOf(parameters)
  const inAddress = parseQuery(request.query).filter(({ baseName }) => !credentials.has(baseName))
  refuseAll(inAddress.map(parameterOfBody))
  const text = decodeText(await request.body?.bytes(maxQueryBytes))
  if (credentials.size > 0) {
    const inBody = parseQuery(text, text.length)
    refuseAll(inBody.filter(({ baseName }) => credentials.has(baseName)).map(parameterOfAddress))
  }
  return requestWithQuery(request, [request.query, text].filter((part) => part !== '').join('&'))
}

const credentialsOf = memoizeBy(
  (parameters: readonly QueryParameter[]): ReadonlySet<string> =>
    new Set(parameters.flatMap(({ isCredential, baseNames }) => (isCredential ? baseNames : []))),
)

function parameterOfBody({ key }: QueryParameterEntry): Problem {
  return problem(
    'unknown-parameter',
    'The address of QUERY has no parameters. Send all of them in the body.',
    { parameter: key },
  )
}

function parameterOfAddress({ key }: QueryParameterEntry): Problem {
  return problem(
    'unknown-parameter',
    'A credential is not part of the query. Send it in the address.',
    { parameter: key },
  )
}

const byteOrderMark = 0xfeff

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decodeText(bytes: Uint8Array | undefined): string {
  let text: string
  try {
    text = bytes ? strictUtf8.decode(bytes) : ''
  } catch {
    throw refuse('malformed-query', 'The body is not valid UTF-8.')
  }
  if (text.charCodeAt(0) !== byteOrderMark) return text
  throw refuse('malformed-query', 'The body starts with a byte order mark. Send it without.')
}
