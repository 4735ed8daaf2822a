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
import type { LineProgress } from './line-progress.ts'
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
  /** Undefined where the client reads what becomes of the lines. */
  readonly progress: LineProgress | undefined
}

/** A line as a request of its own. */
export interface LineCall extends BatchCall {
  readonly line: Line
  readonly payload: ItemPayload
}

/** A line that cannot be read. Only its request hooks run, as of a request with it alone. */
export interface UnreadableCall extends BatchCall {
  readonly line: Line
  readonly payload: undefined
  /** ApiError with all problems of form. */
  readonly error: unknown
}

/** Reads a line as a new item. */
export function createCall(request: LinesRequest, line: Line): LineCall | UnreadableCall {
  const { endpoint, lines } = request
  const part = partOf(request, endpoint, 'POST', {})
  try {
    const payload = lines.readItem(line.parse(), endpoint.rule.view, 'create')
    return withPayload(request, part, line, payload)
  } catch (cause) {
    const error = inBatchDocument(cause, part.operation)
    return { ...part, line, payload: undefined, relatedIds: 0, error }
  }
}

/** The same line as a change of the item with this id. */
export function updateCall(
  request: LinesRequest,
  endpoint: ModelEndpoint,
  { line, payload }: LineCall,
  id: string,
): LineCall {
  return withPayload(request, partOf(request, endpoint, 'PATCH', { id }), line, payload)
}

/** A call without what its line says. */
type LinePart = Omit<BatchCall, 'payload' | 'relatedIds'>

function partOf(
  { services, context: outer }: LinesRequest,
  endpoint: ModelEndpoint,
  method: 'POST' | 'PATCH',
  params: Readonly<Record<string, string>>,
): LinePart {
  const { rule } = endpoint
  const operation = operationOfLine(method)
  const path = rule.path.replace(':id', encodeURIComponent(params.id ?? ''))
  const request = new RequestInBatch(operation, services.basePath + path, rule, outer.request)
  const context = contextOfPart(outer, request, rule, params)
  const approvals = hookApprovals(endpoint.otherUpdates, context)
  return { operation, endpoint, context, hookApprovals: approvals }
}

/** @throws ApiError */
function withPayload(
  { services: { limits } }: LinesRequest,
  part: LinePart,
  line: Line,
  payload: ItemPayload,
): LineCall {
  const relatedIds = new IdentifierLimit(limits).add(payload)
  refuseManyValues(payload, limits.maxItemValues)
  return { ...part, line, payload: withHiddenNames(payload, part.endpoint.rule), relatedIds }
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
