import { type Context, contextWithin } from '../context/context.ts'
import { ApiError, refusal, refuse, refuseAll } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import { shortened } from '../error/shortened.ts'
import type { ApiRequest, RequestBody } from '../http/api-request.ts'
import { pointer } from '../http/json-pointer.ts'
import { refuseManyValues } from '../operation/value-limit.ts'
import type { Match, MatchTree } from '../router/match-tree.ts'
import type { SentBatch, SentOperation, Target } from '../rule/batch.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { Sent, SentItem } from '../serializer/sent.ts'
import { type Asking, asking } from './ask-others.ts'
import type { ModelEndpoint } from './endpoint.ts'
import { IdentifierLimit } from './identifier-limit.ts'
import { located } from './located.ts'
import type { Parts } from './parts.ts'

/** An operation of a batch as the request that it would be by itself. */
export interface Call {
  readonly operation: SentOperation<ModelRule>
  readonly endpoint: ModelEndpoint
  readonly context: Context
  readonly sent: SentItem | undefined
  readonly asking: Asking
}

/**
 * Finds out where each operation leads, and reads what it sends as the rule there says.
 * @throws ApiError with every fault of form of the whole document, and every operation that leads nowhere
 */
export function callsOf(
  parts: Parts,
  tree: MatchTree<ModelEndpoint>,
  { operations, problems }: SentBatch<ModelRule>,
  outer: Context,
): readonly Call[] {
  const faults: Problem[] = [...problems]
  const identifiers = new IdentifierLimit(parts.limits)
  let untold = 0
  const calls = operations.flatMap((operation) => {
    try {
      return [callOf(parts, tree, operation, outer, identifiers)]
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      faults.push(...error.problems)
      untold += error.untold
      return []
    }
  })
  refuseAll(faults, untold)
  return calls
}

function callOf(
  parts: Parts,
  tree: MatchTree<ModelEndpoint>,
  operation: SentOperation<ModelRule>,
  outer: Context,
  identifiers: IdentifierLimit,
): Call {
  const path = pathOf(parts, operation.target)
  const { value: endpoint, params } = found(tree.match(operation.method, path), operation, path)
  const request = requestOf(operation, parts.basePath + path, endpoint.rule, outer.request)
  const context = contextWithin(outer, request, endpoint.rule, params)
  return {
    operation,
    endpoint,
    context,
    sent: read(operation, endpoint.rule, identifiers, parts.limits.maxItemValues),
    asking: asking(endpoint.others, context),
  }
}

function read(
  operation: SentOperation<ModelRule>,
  rule: ModelRule,
  identifiers: IdentifierLimit,
  maxItemValues: number,
): SentItem | undefined {
  try {
    const sent = operation.read(rule)
    identifiers.add(sent)
    refuseManyValues(sent, maxItemValues)
    return sent
  } catch (error) {
    throw located(error, operation)
  }
}

/** The path below the mount path. Addresses are those that the service itself gives, with its base address or without. */
function pathOf({ base, basePath }: Parts, { value, steps }: Sent<Target>): string {
  if (value.kind === 'path') return value.path
  const { address } = value
  const start = [base(), basePath].find((one) => address.startsWith(`${one}/`))
  if (start !== undefined && !/[?#]/.test(address)) return address.slice(start.length)
  const detail = `An operation leads to an address below '${base()}/', without a query string; '${shortened(address, 200)}' is none.`
  throw refuse('invalid-document', detail, { pointer: pointer(steps) })
}

function found(
  match: Match<ModelEndpoint>,
  { target, method }: SentOperation<ModelRule>,
  path: string,
): Extract<Match<ModelEndpoint>, { kind: 'found' }> {
  if (match.kind === 'found') return match
  const source = { pointer: pointer(target.steps) }
  const at = `'${shortened(path, 200)}'`
  if (match.kind === 'malformed')
    throw refuse('malformed-path', `${at} has a percent sign that starts no UTF-8 octet (RFC 3986 §2.1).`, source)
  throw match.kind === 'nothing'
    ? refusal('not-found', `There is nothing at ${at} that a batch can change.`, source)
    : refusal('invalid-document', `Nothing can be ${changes[method]} at ${at}.`, source)
}

const changes = { POST: 'added', PATCH: 'updated', DELETE: 'removed' } as const

/** What the client would send. Whatever describes the body of the batch, or guards it, says nothing of the operation. */
function requestOf(
  { method, ifMatch, document }: SentOperation<ModelRule>,
  path: string,
  { request: shape }: ModelRule,
  outer: ApiRequest,
): ApiRequest {
  const headers = {
    ...outer.headers,
    'content-type': shape.kind === 'none' ? undefined : shape.mediaTypes[0],
    'content-length': undefined,
    'transfer-encoding': undefined,
    'if-match': ifMatch?.value,
    'if-none-match': undefined,
  }
  return {
    method,
    path,
    query: '',
    headers,
    body: document === undefined ? undefined : bodyOf(document),
    get signal() {
      return outer.signal
    },
  }
}

function bodyOf(document: unknown): RequestBody {
  const bytes = () => new TextEncoder().encode(JSON.stringify(document))
  return {
    bytes: async () => bytes(),
    stream: async function* () {
      yield bytes()
    },
  }
}
