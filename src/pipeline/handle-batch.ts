import type { Context } from '../context/context.ts'
import type { ErrorCode } from '../error/catalog.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { batchCallErrors, batchCalls } from './batch-calls.ts'
import type { BatchEndpoint } from './batch-endpoint.ts'
import { hookResponseErrors } from './batch-errors.ts'
import { readDocument } from './decode.ts'
import { encodeBatch } from './encode-batch.ts'
import { negotiate } from './negotiate.ts'
import { runOperationRequestHooks } from './operation-request-hooks.ts'
import type { RouterServices } from './router-services.ts'
import { runBatch, runBatchErrors } from './run-batch.ts'
import { runRequestHooks, withHookHeaders } from './run-request-hooks.ts'

const ownErrors = ['precondition-failed'] as const

export const batchErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...batchCallErrors,
  ...hookResponseErrors,
  ...runBatchErrors,
]

const { refuse } = refusalsOf(ownErrors)

/**
 * Handles a batch. Each operation passes the request hooks and the narrowing of its own rule, and
 * all of them run in one transaction. Request hooks run before the transaction begins.
 */
export async function handleBatch(
  services: RouterServices,
  endpoint: BatchEndpoint,
  context: Context,
): Promise<ApiResponse> {
  const { rule, hooks, matchTree } = endpoint
  const { request } = context
  negotiate(rule, request) //                                                      406 415
  const hookResponse = await runRequestHooks(hooks.request, context) //                   401 403 …
  if (hookResponse) return withHookHeaders(hookResponse, context)
  const runner = endpoint.runnerOf?.(context) //                                      400
  const selection = endpoint.select(request.query) //                              400
  refuseIfMatch(request) //                                                          412
  const document = await readDocument(rule.request, request, services.limits, runner?.addBody) // 400 413
  const calls = batchCalls(services, matchTree, rule.request.read(document), context) //      400 404 409
  for (const call of calls) await runOperationRequestHooks(call) //                                   401 403 …
  const results = await (runner
    ? runner.run(calls) //                                                         400
    : runBatch(services, calls, context)) //                                             404 409 412 422 428
  return encodeBatch(services, rule, results, selection, context)
}

/** RFC 9110 §13.1.1: a batch has no representation that a tag could name. */
function refuseIfMatch({ headers }: ApiRequest): void {
  if (headers['if-match'] === undefined) return
  const detail = 'If-Match is not supported on a batch. Set it on each operation.'
  throw refuse('precondition-failed', detail, { header: 'If-Match' })
}
