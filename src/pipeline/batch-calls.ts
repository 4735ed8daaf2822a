import { type Context, contextInBatch } from '../context/context.ts'
import type { RouterServices } from '../document/router-services.ts'
import { ApiError, createApiError, refuse, refuseAll } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest, RequestBody } from '../http/api-request.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import { refuseManyValues } from '../operation/value-limit.ts'
import type { MatchTree, RouteMatch } from '../router/match-tree.ts'
import type { BatchPayload, OperationPayload, OperationTarget } from '../rule/batch-payload.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { ItemPayload, PayloadValue } from '../serializer/payload.ts'
import { inBatchDocument } from './batch-error-source.ts'
import { IdentifierLimit } from './identifier-limit.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import { type HookApprovals, hookApprovals } from './with-approvals.ts'

/** An operation of a batch as the request that it would be by itself. */
export interface BatchCall {
  readonly operation: OperationPayload<ModelRule>
  readonly endpoint: ModelEndpoint
  readonly context: Context
  readonly payload: ItemPayload | undefined
  readonly hookApprovals: HookApprovals
}

/**
 * Finds out where each operation leads, and reads what it sends as the rule there says.
 * @throws ApiError with every fault of form of the whole document, and every operation that leads
 * nowhere
 */
export function batchCalls(
  parts: RouterServices,
  tree: MatchTree<ModelEndpoint>,
  { operations, problems }: BatchPayload<ModelRule>,
  outer: Context,
): readonly BatchCall[] {
  const faults: Problem[] = [...problems]
  const identifiers = new IdentifierLimit(parts.limits)
  let untold = 0
  const calls = operations.flatMap((operation) => {
    try {
      return [batchCall(parts, tree, operation, outer, identifiers)]
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      faults.push(...error.problems)
      untold += error.omittedCount
      return []
    }
  })
  refuseAll(faults, untold)
  return calls
}

function batchCall(
  parts: RouterServices,
  tree: MatchTree<ModelEndpoint>,
  operation: OperationPayload<ModelRule>,
  outer: Context,
  identifiers: IdentifierLimit,
): BatchCall {
  const path = targetPath(parts, operation.target)
  const { value: endpoint, params } = requireEndpoint(
    tree.match(operation.method, path),
    operation,
    path,
  )
  const request = operationRequest(operation, parts.basePath + path, endpoint.rule, outer.request)
  const context = contextInBatch(outer, request, endpoint.rule, params)
  return {
    operation,
    endpoint,
    context,
    payload: readPayload(operation, endpoint.rule, identifiers, parts.limits.maxItemValues),
    hookApprovals: hookApprovals(endpoint.otherUpdates, context),
  }
}

function readPayload(
  operation: OperationPayload<ModelRule>,
  rule: ModelRule,
  identifiers: IdentifierLimit,
  maxItemValues: number,
): ItemPayload | undefined {
  try {
    const sent = operation.read(rule)
    identifiers.add(sent)
    refuseManyValues(sent, maxItemValues)
    return sent
  } catch (error) {
    throw inBatchDocument(error, operation)
  }
}

/**
 * The path below the mount path. Addresses are those that the service itself gives, with its base
 * address or without.
 */
function targetPath(
  { urlPrefix, basePath }: RouterServices,
  { value, steps }: PayloadValue<OperationTarget>,
): string {
  if (value.kind === 'path') return value.path
  const { address } = value
  const start = [urlPrefix(), basePath].find((one) => address.startsWith(`${one}/`))
  if (start !== undefined && !/[?#]/.test(address)) return address.slice(start.length)
  const detail = `An operation leads to an address below '${urlPrefix()}/', without a query string; '${truncate(address, 200)}' is none.`
  throw refuse('invalid-document', detail, { pointer: formatPointer(steps) })
}

function requireEndpoint(
  match: RouteMatch<ModelEndpoint>,
  { target, method }: OperationPayload<ModelRule>,
  path: string,
): Extract<RouteMatch<ModelEndpoint>, { kind: 'found' }> {
  if (match.kind === 'found') return match
  const source = { pointer: formatPointer(target.steps) }
  const at = `'${truncate(path, 200)}'`
  if (match.kind === 'malformed')
    throw refuse(
      'malformed-path',
      `${at} has a percent sign that starts no UTF-8 octet (RFC 3986 §2.1).`,
      source,
    )
  throw match.kind === 'nothing'
    ? createApiError('not-found', `There is nothing at ${at} that a batch can change.`, source)
    : createApiError('invalid-document', `Nothing can be ${verbByMethod[method]} at ${at}.`, source)
}

const verbByMethod = { POST: 'added', PATCH: 'updated', DELETE: 'removed' } as const

/**
 * What the client would send. Whatever describes the body of the batch, or guards it, says nothing
 * of the operation.
 */
function operationRequest(
  { method, ifMatch, document }: OperationPayload<ModelRule>,
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
    body: document === undefined ? undefined : jsonBody(document),
    get signal() {
      return outer.signal
    },
  }
}

function jsonBody(document: unknown): RequestBody {
  const bytes = () => new TextEncoder().encode(JSON.stringify(document))
  return {
    bytes: async () => bytes(),
    stream: async function* () {
      yield bytes()
    },
  }
}
