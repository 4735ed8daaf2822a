import { type Context, contextOfPart } from '../../context/context.ts'
import { refuseManyValues } from '../../operation/value-limit.ts'
import type { OperationPayload } from '../../rule/batch-payload.ts'
import type { ItemLines } from '../../rule/item-lines.ts'
import type { ModelRule } from '../../rule/rule.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import { type BatchCall, RequestInBatch } from '../batch-calls.ts'
import { inBatchDocument } from '../batch-error-source.ts'
import { withHiddenNames } from '../decode.ts'
import { IdentifierLimit } from '../identifier-limit.ts'
import type { ModelEndpoint } from '../model-endpoint.ts'
import type { RouterServices } from '../router-services.ts'
import { hookApprovals } from '../with-approvals.ts'
import type { Line } from './read-lines.ts'

/** What all lines of a request have in common. */
export interface LinesRequest {
  readonly services: RouterServices
  /** Of creating an item. */
  readonly endpoint: ModelEndpoint
  /** Of changing one; undefined where the policy has no such operation. */
  readonly updateEndpoint: ModelEndpoint | undefined
  readonly lines: ItemLines
  readonly context: Context
}

/** A line as a request of its own. */
export interface LineCall extends BatchCall {
  readonly line: Line
  readonly payload: ItemPayload
}

/**
 * Reads a line as a new item.
 * @throws ApiError with all problems of form
 */
export function createCall(request: LinesRequest, line: Line): LineCall {
  const { endpoint, lines } = request
  const operation = operationOfLine('POST')
  try {
    const payload = lines.readItem(line.parse(), endpoint.rule.view, 'create')
    return callOf(request, endpoint, operation, line, payload, {})
  } catch (error) {
    throw inBatchDocument(error, operation)
  }
}

/** The same line as a change of the item with this id. */
export function updateCall(
  request: LinesRequest,
  endpoint: ModelEndpoint,
  { line, payload }: LineCall,
  id: string,
): LineCall {
  return callOf(request, endpoint, operationOfLine('PATCH'), line, payload, { id })
}

function callOf(
  { services, context: outer }: LinesRequest,
  endpoint: ModelEndpoint,
  operation: OperationPayload<ModelRule>,
  line: Line,
  payload: ItemPayload,
  params: Readonly<Record<string, string>>,
): LineCall {
  const { rule } = endpoint
  const path = rule.path.replace(':id', encodeURIComponent(params.id ?? ''))
  const request = new RequestInBatch(operation, services.basePath + path, rule, outer.request)
  const context = contextOfPart(outer, request, rule, params)
  const relatedIds = new IdentifierLimit(services.limits).add(payload)
  refuseManyValues(payload, services.limits.maxItemValues)
  return {
    line,
    operation,
    endpoint,
    context,
    payload: withHiddenNames(payload, rule),
    relatedIds,
    hookApprovals: hookApprovals(endpoint.otherUpdates, context),
  }
}

/** Pointers stay those of the line. */
function operationOfLine(
  method: OperationPayload<ModelRule>['method'],
): OperationPayload<ModelRule> {
  return {
    steps: [],
    method,
    target: { value: { kind: 'path', path: '' }, steps: [] },
    ifMatch: undefined,
    ifMatchName: 'If-Match',
    document: undefined,
    read: () => undefined,
  }
}
