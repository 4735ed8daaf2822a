import type { RouterServices } from '../../document/router-services.ts'
import type { OperationResult } from '../../operation/operation-result.ts'
import type { ModelEndpoint } from '../model-endpoint.ts'
import type { OperationRequest } from '../operation-inputs.ts'
import type { OperationOutcome } from '../with-approvals.ts'
import type { KeyedRequest } from './keyed-request.ts'
import { replayResult } from './replay-result.ts'
import { itemMeasure, type StoredResult, toStoredResult } from './stored-result.ts'

/** Runs the operation, or responds with the result of the first request with the same key. */
export function operateOnce(
  services: RouterServices,
  endpoint: ModelEndpoint,
  keyed: KeyedRequest,
  request: OperationRequest,
): Promise<OperationOutcome> {
  const { context, selection, pagedPlan } = request
  return keyed.once<OperationResult, OperationOutcome>({
    run: (recorder) => endpoint.operate(request, recorder),
    toRecord: (result, written, reader) =>
      toStoredResult(result, {
        guards: services.guards,
        view: endpoint.rule.view,
        context,
        reader,
        written,
        measure: itemMeasure(services, endpoint, selection.fields),
        maxBytes: keyed.maxResultBytes,
      }),
    replay: (record, isSameCaller) =>
      replayResult(services, record as StoredResult, {
        endpoint,
        context,
        condition: pagedPlan.plan.condition,
        isSameCaller,
      }),
  })
}
