import type { Context } from '../../context/context.ts'
import { refuseAll } from '../../error/api-error.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { BatchCall } from '../../pipeline/batch-calls.ts'
import type { BatchRunner } from '../../pipeline/batch-endpoint.ts'
import { withBatchErrors } from '../../pipeline/batch-errors.ts'
import { BatchIds } from '../../pipeline/batch-ids.ts'
import type { RouterServices } from '../../pipeline/router-services.ts'
import { type BatchResult, runBatch } from '../../pipeline/run-batch.ts'
import type { BatchRule } from '../../rule/rule.ts'
import { defaultSelection } from '../../rule/selection.ts'
import type { RunnerOf } from '../feature.ts'
import type { Idempotency } from './idempotency-settings.ts'
import { type KeyedRequest, keyedRequest, missingBatchKey } from './keyed-request.ts'
import { replayResult } from './replay-result.ts'
import {
  itemMeasure,
  type ResultKeeping,
  type StoredResult,
  sizeOf,
  toStoredResult,
} from './stored-result.ts'

export function batchRunner(
  settings: Idempotency,
  rule: BatchRule,
  services: RouterServices,
): RunnerOf<BatchRunner> {
  return (context) => {
    const keyed = keyedRequest(settings, rule, context)
    return {
      addBody: keyed?.addBody,
      run: (calls) => {
        if (keyed) return batchOnce(services, calls, context, keyed)
        refuseMissingKeys(calls)
        return runBatch(services, calls, context)
      },
    }
  }
}

/** Once hooks have run: a caller who is refused learns nothing about keys. */
function refuseMissingKeys(calls: readonly BatchCall[]): void {
  const problems = calls.flatMap(({ endpoint, operation }) =>
    endpoint.rule.idempotencyKey?.required === 'always'
      ? [missingBatchKey(formatPointer(operation.steps))]
      : [],
  )
  refuseAll(problems)
}

/** Runs the batch, or responds with the results of the first one with the same key. */
function batchOnce(
  services: RouterServices,
  calls: readonly BatchCall[],
  context: Context,
  keyed: KeyedRequest,
): Promise<readonly BatchResult[]> {
  return keyed.once<readonly BatchResult[], readonly BatchResult[]>({
    run: (recorder) => runBatch(services, calls, context, recorder),
    toRecord: (results, written, reader) =>
      storedResults(services, results, { written, reader, maxBytes: keyed.maxResultBytes }),
    replay: (record, isSameCaller) =>
      replayedResults(services, calls, record as readonly StoredResult[], isSameCaller),
  })
}

/** The results share the bytes that one result may have. */
async function storedResults(
  services: RouterServices,
  results: readonly BatchResult[],
  { maxBytes, ...keeping }: Pick<ResultKeeping, 'written' | 'reader' | 'maxBytes'>,
): Promise<readonly StoredResult[]> {
  const all: StoredResult[] = []
  let leftBytes = maxBytes
  for (const { call, result } of results) {
    const { endpoint, context } = call
    const stored = await toStoredResult(result, {
      ...keeping,
      guards: services.guards,
      view: endpoint.rule.view,
      context,
      measure: itemMeasure(services, endpoint, defaultSelection.fields),
      maxBytes: leftBytes,
    })
    leftBytes -= sizeOf(stored)
    all.push(stored)
  }
  return all
}

async function replayedResults(
  services: RouterServices,
  calls: readonly BatchCall[],
  stored: readonly StoredResult[],
  isSameCaller: boolean,
): Promise<readonly BatchResult[]> {
  const results: BatchResult[] = []
  const ids = new BatchIds()
  for (const [index, result] of stored.entries()) {
    const call = ids.apply(calls[index]!)
    const { operation, endpoint, context } = call
    const replayed = await withBatchErrors(operation, async () => {
      const { plan } = await endpoint.narrow(defaultSelection, context)
      const { condition } = plan
      return replayResult(services, result, { endpoint, context, condition, isSameCaller })
    })
    ids.add(call, replayed)
    results.push({ call, result: replayed })
  }
  return results
}
