import type { RouterServices } from '../../document/router-services.ts'
import type { OperationResult } from '../../operation/operation-result.ts'
import type { ModelEndpoint } from '../model-endpoint.ts'
import type { OperationRequest } from '../operation-inputs.ts'
import type { OperationOutcome } from '../with-approvals.ts'
import type { KeyedRequest } from './keyed-request.ts'
import { checkReplayVisible } from './replay-visibility.ts'
import { fromStoredResult, type StoredResult, toStoredResult } from './stored-result.ts'

/** Runs the operation, or responds with the result of the first request with the same key. */
export function operateOnce(
  services: RouterServices,
  endpoint: ModelEndpoint,
  keyed: KeyedRequest,
  request: OperationRequest,
): Promise<OperationOutcome> {
  const { rule, model, representers } = endpoint
  const { context, selection, pagedPlan } = request
  const isSentAsStored = representers.get(model)!.isSentAsStored(selection.fields)
  return keyed.once<OperationResult, OperationOutcome>({
    run: (recorder) => endpoint.operate(request, recorder),
    toRecord: (result) =>
      toStoredResult(result, {
        model,
        isSentAsStored,
        maxBytes: keyed.maxResultBytes,
      }),
    replay: async (record) => {
      const stored = record as StoredResult
      const id = context.id ?? ('id' in stored ? stored.id : undefined)
      await checkReplayVisible(services, {
        rule,
        context,
        condition: pagedPlan.plan.condition,
        id,
      })
      return fromStoredResult({ services, model, isSentAsStored, context }, stored)
    },
  })
}
