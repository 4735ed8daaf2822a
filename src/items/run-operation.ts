import { withCodeErrors } from '../context/code-error.ts'
import type { Context } from '../context/context.ts'
import type { ApiError } from '../error/api-error.ts'
import { refusalsOf } from '../error/refusals.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { closeBody } from '../http/close-body.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { ModelEndpoint } from '../pipeline/model-endpoint.ts'
import { runRequestHooks } from '../pipeline/run-request-hooks.ts'
import { sentItem } from '../pipeline/write-source.ts'
import { defaultSelection } from '../rule/selection.ts'
import type { Payload } from '../serializer/payload.ts'
import { type CodeRequest, codeContext } from './code-context.ts'
import type { ItemEnvironment } from './item-environment.ts'

const { createApiError } = refusalsOf(['unauthorized', 'forbidden'])

export interface OperationCallOptions extends CodeRequest {
  readonly payload?: Payload
}

/**
 * Runs the operation of a rule as a request would, from its hooks to its result.
 * @throws ApiError what a client would be told
 */
export function runOperation(
  environment: ItemEnvironment,
  endpoint: ModelEndpoint,
  { payload, ...request }: OperationCallOptions,
): Promise<OperationResult> {
  return withCodeErrors(environment.actor.kind === 'caller', async () => {
    const context = await hookedContext(environment, endpoint, request, payload)
    const pagedPlan = await endpoint.narrow(defaultSelection, context)
    const item = sentItem(endpoint.rule, context, payload)
    const outcome = await environment.withApprovals(endpoint.otherUpdates, context, (approvals) =>
      environment.run(item, ({ store, validations }) =>
        endpoint.operateInTransaction({
          store,
          context,
          pagedPlan,
          selection: defaultSelection,
          payload,
          approvals,
          validations,
        }),
      ),
    )
    if (outcome.kind === 'response') throw await refusalOf(outcome.response)
    return outcome
  })
}

/** The context of an operation, once the request hooks have let it pass. */
export function hookedContext(
  { actor, services }: ItemEnvironment,
  endpoint: ModelEndpoint,
  request: CodeRequest,
  payload?: Payload,
): Promise<Context> {
  return withCodeErrors(actor.kind === 'caller', async () => {
    const context = codeContext(actor, endpoint.rule, request, services.clock)
    const { hooks, relatedHooks } = endpoint
    const all = relatedHooks
      ? [...hooks.request, ...relatedHooks(defaultSelection, payload)]
      : hooks.request
    const response = await runRequestHooks(all, context)
    if (response) throw await refusalOf(response)
    return context
  })
}

/** A hook responded in place of the operation. Code gets no response, so this is an error. */
async function refusalOf({ status, body }: ApiResponse): Promise<ApiError> {
  await closeBody(body)
  const detail = `Middleware refused the operation with the status ${status}.`
  return status === 401
    ? createApiError('unauthorized', detail)
    : createApiError('forbidden', detail)
}
