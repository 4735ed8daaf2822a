import type { Context } from '../context/context.ts'
import type { RouterServices } from '../document/router-services.ts'
import { refuse } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { defaultSelection } from '../rule/selection.ts'
import { type BatchCall, batchCalls } from './batch-calls.ts'
import type { BatchEndpoint } from './batch-endpoint.ts'
import { refuseHookResponse, withBatchErrors } from './batch-errors.ts'
import { readDocument } from './decode.ts'
import { encodeBatch } from './encode-batch.ts'
import { negotiate } from './negotiate.ts'
import { runBatch } from './run-batch.ts'
import { runRequestHooks, withHookHeaders } from './run-request-hooks.ts'

/**
 * Answers a batch: each of its operations goes the way of a request of its own, through the hooks
 * and the narrowing of the rule it leads to, all of them in one transaction. What hooks of phase 1
 * wait for is waited for before the transaction begins.
 */
export async function handleBatch(
  parts: RouterServices,
  endpoint: BatchEndpoint,
  context: Context,
): Promise<ApiResponse> {
  const { rule, hooks, matchTree } = endpoint
  const { request } = context
  negotiate(rule, request) //                                                      406 415
  const early = await runRequestHooks(hooks.request, context) //                   401 403 …
  if (early) return withHookHeaders(early, context)
  const selection = endpoint.select(request.query) //                              400
  refuseIfMatch(request) //                                                          412
  const document = await readDocument(rule.request, request, parts.limits) // 400 413
  const calls = batchCalls(parts, matchTree, rule.request.read(document), context) //      400 404 409
  for (const call of calls) await runOperationRequestHooks(call) //                                   401 403 …
  const results = await runBatch(parts, calls, context) //                           404 409 412 422 428
  return encodeBatch(parts, rule, calls, results, selection, context)
}

/**
 * Phase 1 of one operation. Where it answers, there is nothing that the batch could do any more.
 */
async function runOperationRequestHooks({
  endpoint,
  context,
  operation,
  payload,
}: BatchCall): Promise<void> {
  const { hooks, relatedHooks } = endpoint
  const all = relatedHooks
    ? [...hooks.request, ...relatedHooks(defaultSelection, payload)]
    : hooks.request
  const response = await withBatchErrors(operation, async () => runRequestHooks(all, context))
  if (response) await refuseHookResponse(response, operation)
}

/** RFC 9110 §13.1.1: there is no representation of a batch that a tag could name. */
function refuseIfMatch({ headers }: ApiRequest): void {
  if (headers['if-match'] === undefined) return
  const detail =
    'A batch has no version that If-Match could name; its operations are guarded one by one.'
  throw refuse('precondition-failed', detail, { header: 'If-Match' })
}
