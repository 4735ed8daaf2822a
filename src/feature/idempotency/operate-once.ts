import type { OperationResult } from '../../operation/operation-result.ts'
import { linesOf } from '../../pipeline/lines/handle-lines.ts'
import type { ModelEndpoint, OperationRunner } from '../../pipeline/model-endpoint.ts'
import type { OperationRequest } from '../../pipeline/operation-inputs.ts'
import type { RouterServices } from '../../pipeline/router-services.ts'
import type { OperationOutcome } from '../../pipeline/with-approvals.ts'
import type { ModelRule } from '../../rule/rule.ts'
import type { RunnerOf } from '../feature.ts'
import type { Idempotency } from './idempotency-settings.ts'
import {
  type KeyedRequest,
  keyedRequest,
  refuseKeyOfLines,
  refuseLinesWithKeys,
} from './keyed-request.ts'
import { replayResult } from './replay-result.ts'
import { itemMeasure, type StoredResult, toStoredResult } from './stored-result.ts'

export function operationRunner(
  settings: Idempotency,
  rule: ModelRule,
  services: RouterServices,
): RunnerOf<OperationRunner> | undefined {
  if (!rule.idempotencyKey) return undefined
  const isRequired = rule.idempotencyKey.required === 'always'
  return (context) => {
    if (isRequired && linesOf({ rule }, context.request)) refuseLinesWithKeys()
    const keyed = keyedRequest(settings, rule, context)
    return (
      keyed && {
        addBody: keyed.addBody,
        refuseLines: refuseKeyOfLines,
        run: (endpoint, request) => operateOnce(services, endpoint, keyed, request),
      }
    )
  }
}

/** Runs the operation, or responds with the result of the first request with the same key. */
function operateOnce(
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
