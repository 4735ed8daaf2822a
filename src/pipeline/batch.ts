import type { Context } from '../context/context.ts'
import { refuse } from '../error/api-error.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { wholeSelection } from '../rule/selection.ts'
import { type Call, callsOf } from './batch-calls.ts'
import type { BatchEndpoint } from './batch-endpoint.ts'
import { attempt, refuseAnswered } from './batch-refusal.ts'
import { documentOf } from './decode.ts'
import { encodeBatch } from './encode-batch.ts'
import { negotiate } from './negotiate.ts'
import type { Parts } from './parts.ts'
import { runAll } from './run-batch.ts'
import { runRequestHooks, withHeaders } from './run-request-hooks.ts'

/**
 * Answers a batch: each of its operations goes the way of a request of its own, through the hooks and the narrowing of the rule it leads to, all of
 * them in one transaction. What hooks of phase 1 wait for is waited for before the transaction begins.
 */
export async function answerBatch(parts: Parts, endpoint: BatchEndpoint, context: Context): Promise<ApiResponse> {
  const { rule, hooks, tree } = endpoint
  const { request } = context
  negotiate(rule, request) //                                                      406 415
  const early = await runRequestHooks(hooks.request, context) //                   401 403 …
  if (early) return withHeaders(early, context)
  const selection = endpoint.select(request.query) //                              400
  refuseMatch(request) //                                                          412
  const document = await documentOf(rule.request, request, parts.limits) // 400 413
  const calls = callsOf(parts, tree, rule.request.read(document), context) //      400 404 409
  for (const call of calls) await admit(call) //                                   401 403 …
  const results = await runAll(parts, calls, context) //                           404 409 412 422 428
  return encodeBatch(parts, rule, calls, results, selection, context)
}

/** Phase 1 of one operation. Where it answers, there is nothing that the batch could do any more. */
async function admit({ endpoint, context, operation, sent }: Call): Promise<void> {
  const { hooks, further } = endpoint
  const all = further ? [...hooks.request, ...further(wholeSelection, sent)] : hooks.request
  const response = await attempt(operation, async () => runRequestHooks(all, context))
  if (response) await refuseAnswered(response, operation)
}

/** RFC 9110 §13.1.1: there is no representation of a batch that a tag could name. */
function refuseMatch({ headers }: ApiRequest): void {
  if (headers['if-match'] === undefined) return
  const detail = 'A batch has no version that If-Match could name; its operations are guarded one by one.'
  throw refuse('precondition-failed', detail, { header: 'If-Match' })
}
