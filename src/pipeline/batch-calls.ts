import { type Context, contextOfPart } from '../context/context.ts'
import { ApiError, refuseAll } from '../error/api-error.ts'
import type { ErrorCode } from '../error/catalog.ts'
import type { Problem } from '../error/problem.ts'
import { refusalsOf } from '../error/refusals.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest, RequestBody, RequestHeaders } from '../http/api-request.ts'
import { oneChunk } from '../http/chunk.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import { refuseManyValues, valueLimitErrors } from '../operation/value-limit.ts'
import type { MatchTree, RouteMatch } from '../router/match-tree.ts'
import type { BatchPayload, OperationPayload, OperationTarget } from '../rule/batch-payload.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { ItemPayload, PayloadValue } from '../serializer/payload.ts'
import { inBatchDocument } from './batch-error-source.ts'
import { withHiddenNames } from './decode.ts'
import { IdentifierLimit, identifierLimitErrors } from './identifier-limit.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import type { RouterServices } from './router-services.ts'
import { type HookApprovals, hookApprovals } from './with-approvals.ts'

const ownErrors = ['invalid-document', 'malformed-path', 'not-found'] as const

export const batchCallErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...identifierLimitErrors,
  ...valueLimitErrors,
]

const { createApiError, refuse } = refusalsOf(ownErrors)

/** An operation of a batch as a request of its own. */
export interface BatchCall {
  readonly operation: OperationPayload<ModelRule>
  readonly endpoint: ModelEndpoint
  readonly context: Context
  readonly payload: ItemPayload | undefined
  /** The number of ids of related items in the payload. */
  readonly relatedIds: number
  readonly hookApprovals: HookApprovals
}

/**
 * Finds the endpoint of each operation, and reads its payload as the rule requires.
 * @throws ApiError with every problem of form in the document, and every operation without an
 * endpoint
 */
export function batchCalls(
  services: RouterServices,
  tree: MatchTree<ModelEndpoint>,
  { operations, problems }: BatchPayload<ModelRule>,
  batchContext: Context,
): readonly BatchCall[] {
  const allProblems: Problem[] = [...problems]
  const identifiers = new IdentifierLimit(services.limits)
  let omittedCount = 0
  const calls = operations.flatMap((operation) => {
    try {
      return [batchCall(services, tree, operation, batchContext, identifiers)]
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      allProblems.push(...error.problems)
      omittedCount += error.omittedCount
      return []
    }
  })
  refuseAll(allProblems, omittedCount)
  return calls
}

function batchCall(
  services: RouterServices,
  tree: MatchTree<ModelEndpoint>,
  operation: OperationPayload<ModelRule>,
  batchContext: Context,
  identifiers: IdentifierLimit,
): BatchCall {
  const path = targetPath(services, operation.target)
  const { value: endpoint, params } = requireEndpoint(
    tree.match(operation.method, path),
    operation,
    path,
  )
  const request = new RequestInBatch(
    operation,
    services.basePath + path,
    endpoint.rule,
    batchContext.request,
  )
  const context = contextOfPart(batchContext, request, endpoint.rule, params)
  return {
    operation,
    endpoint,
    context,
    ...readPayload(operation, endpoint.rule, identifiers, services.limits.maxItemValues),
    hookApprovals: hookApprovals(endpoint.otherUpdates, context),
  }
}

function readPayload(
  operation: OperationPayload<ModelRule>,
  rule: ModelRule,
  identifiers: IdentifierLimit,
  maxItemValues: number,
): Pick<BatchCall, 'payload' | 'relatedIds'> {
  try {
    const payload = withHiddenNames(operation.read(rule), rule)
    const relatedIds = identifiers.add(payload)
    refuseManyValues(payload, maxItemValues)
    return { payload, relatedIds }
  } catch (error) {
    throw inBatchDocument(error, operation)
  }
}

/**
 * The path below the mount path. An address may begin with the base URL, or with the mount path.
 */
function targetPath(
  { urlPrefix, basePath }: RouterServices,
  { value, steps }: PayloadValue<OperationTarget>,
): string {
  if (value.kind === 'path') return value.path
  const { address } = value
  const prefix = [urlPrefix(), basePath].find((candidate) => address.startsWith(`${candidate}/`))
  if (prefix !== undefined && !/[?#]/.test(address)) return address.slice(prefix.length)
  const detail = `Invalid operation target '${truncate(address, 200)}'; expected an address below '${urlPrefix()}/' without a query string.`
  throw refuse('invalid-document', detail, { pointer: formatPointer(steps) })
}

function requireEndpoint(
  match: RouteMatch<ModelEndpoint>,
  { target, method }: OperationPayload<ModelRule>,
  path: string,
): Extract<RouteMatch<ModelEndpoint>, { kind: 'found' }> {
  if (match.kind === 'found') return match
  const source = { pointer: formatPointer(target.steps) }
  const quotedPath = `'${truncate(path, 200)}'`
  if (match.kind === 'malformed')
    throw refuse(
      'malformed-path',
      `Malformed percent-encoding in the path ${quotedPath} (RFC 3986 §2.1).`,
      source,
    )
  throw match.kind === 'notFound'
    ? createApiError('not-found', `A batch cannot change ${quotedPath}.`, source)
    : createApiError('invalid-document', `${method} is not allowed at ${quotedPath}.`, source)
}

/**
 * The request of one operation. It has no headers that describe or guard the body of the batch, and
 * is aborted with the batch.
 */
export class RequestInBatch implements ApiRequest {
  readonly method: string
  readonly path: string
  readonly query = ''
  readonly headers: RequestHeaders
  readonly body: RequestBody | undefined
  readonly #batchRequest: ApiRequest

  constructor(
    {
      method,
      ifMatch,
      document,
    }: Pick<OperationPayload<ModelRule>, 'method' | 'ifMatch' | 'document'>,
    path: string,
    { request: shape }: ModelRule,
    batchRequest: ApiRequest,
  ) {
    this.method = method
    this.path = path
    this.headers = {
      ...batchRequest.headers,
      'content-type': shape.kind === 'none' ? undefined : shape.mediaTypes[0],
      'content-length': undefined,
      'transfer-encoding': undefined,
      'if-match': ifMatch?.value,
      'if-none-match': undefined,
    }
    this.body = document === undefined ? undefined : jsonBody(document)
    this.#batchRequest = batchRequest
  }

  get address(): string | undefined {
    return this.#batchRequest.address
  }

  get signal(): AbortSignal | undefined {
    return this.#batchRequest.signal
  }

  get isAborted(): boolean | undefined {
    return this.#batchRequest.isAborted
  }
}

function jsonBody(document: unknown): RequestBody {
  const bytes = () => new TextEncoder().encode(JSON.stringify(document))
  return {
    bytes: async () => bytes(),
    stream: () => oneChunk(bytes()),
  }
}
