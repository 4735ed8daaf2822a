import type { Context } from '../context/context.ts'
import { ApiError, refuse } from '../error/api-error.ts'
import { problem } from '../error/problem.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeBody } from '../http/close-body.ts'
import { pointer } from '../http/json-pointer.ts'
import type { Result } from '../operation/job.ts'
import { type SideChange, Unasked } from '../operation/side-changes.ts'
import { Unsettled, Validations } from '../operation/validations.ts'
import { wholeSelection } from '../rule/selection.ts'
import { changingMany } from '../store/on-behalf.ts'
import { requestsTransaction } from '../store/requests-transaction.ts'
import type { Caller, StoreAccess } from '../store/store.ts'
import { within } from '../store/within.ts'
import { type Call, callsOf } from './batch-calls.ts'
import type { BatchEndpoint } from './batch-endpoint.ts'
import { documentOf } from './decode.ts'
import { encodeBatch } from './encode-batch.ts'
import { located } from './located.ts'
import { negotiate } from './negotiate.ts'
import type { Parts } from './parts.ts'
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

/** All operations in one transaction, which is undone and begins anew where hooks of other models have to be asked, or schemas waited for. */
async function runAll(
  { store, validationTimeoutMs, limits }: Parts,
  calls: readonly Call[],
  caller: Caller,
): Promise<readonly Result[]> {
  const validations = new Validations(validationTimeoutMs, caller)
  for (;;) {
    let reached: Call | undefined
    const reach = (call: Call): void => {
      reached = call
    }
    try {
      return await store.write((transaction) => {
        const bounded = requestsTransaction(transaction, caller, limits.maxChangedItems)
        return run(calls, within(bounded), validations, reach)
      }, changingMany(caller))
    } catch (error) {
      if (error instanceof Unsettled) await validations.settle()
      else if (error instanceof Unasked && reached) await askOthers(reached, error.change)
      else throw error
    }
  }
}

async function askOthers({ operation, asking }: Call, change: SideChange): Promise<void> {
  const response = await attempt(operation, () => asking.ask(change))
  if (response) await refuseAnswered(response, operation)
}

/** @throws ApiError in place of the answer that middleware made, which is not sent */
async function refuseAnswered(response: ApiResponse, { steps }: Call['operation']): Promise<never> {
  await closeBody(response.body)
  throw notAdmitted(response, pointer(steps))
}

async function run(
  calls: readonly Call[],
  store: StoreAccess,
  validations: Validations,
  reach: (call: Call) => void,
): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const call of calls) {
    reach(call)
    const { operation, endpoint, context, sent, asking } = call
    const operate = async () => {
      const placed = await endpoint.narrow(wholeSelection, context)
      return endpoint.operateIn(store, asking.permits, validations, context, placed, sent)
    }
    results.push(await attempt(operation, operate))
  }
  return results
}

async function attempt<T>(operation: Call['operation'], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw located(error, operation)
  }
}

/** The answer that middleware made is for a request alone: of it the batch takes over the status, and what does not describe its body. */
function notAdmitted({ status, headers }: ApiResponse, pointer: string): ApiError {
  const isError = status >= 400 && status <= 599
  const detail = isError
    ? `The operation was refused with the status ${status} before it began, so nothing of the batch was done.`
    : 'The operation was answered before it began, which a batch cannot tell; send it by itself.'
  const told = problem('operation-refused', detail, { pointer })
  const kept = Object.entries(headers).filter(([name]) => !describesBody.test(name))
  return new ApiError([isError ? { ...told, status } : told], Object.fromEntries(kept))
}

const describesBody = /^(?:content-.*|transfer-encoding|etag|last-modified|location|vary)$/i

/** RFC 9110 §13.1.1: there is no representation of a batch that a tag could name. */
function refuseMatch({ headers }: ApiRequest): void {
  if (headers['if-match'] === undefined) return
  const detail = 'A batch has no version that If-Match could name; its operations are guarded one by one.'
  throw refuse('precondition-failed', detail, { header: 'If-Match' })
}
