import type { Context } from '../../context/context.ts'
import type { RouterServices } from '../../document/router-services.ts'
import { defaultSelection } from '../../rule/selection.ts'
import type { BatchCall } from '../batch-calls.ts'
import { withBatchErrors } from '../batch-errors.ts'
import { BatchIds } from '../batch-ids.ts'
import { type BatchResult, runBatch } from '../run-batch.ts'
import type { KeyedRequest } from './keyed-request.ts'
import { replayResult } from './replay-result.ts'
import {
  itemMeasure,
  type ResultKeeping,
  type StoredResult,
  sizeOf,
  toStoredResult,
} from './stored-result.ts'

/** Runs the batch, or responds with the results of the first one with the same key. */
export function batchOnce(
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
  for (const [index, one] of stored.entries()) {
    const call = ids.apply(calls[index]!)
    const { operation, endpoint, context } = call
    const result = await withBatchErrors(operation, async () => {
      const { plan } = await endpoint.narrow(defaultSelection, context)
      const { condition } = plan
      return replayResult(services, one, { endpoint, context, condition, isSameCaller })
    })
    ids.add(call, result)
    results.push({ call, result })
  }
  return results
}
