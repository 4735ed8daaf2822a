import { defaultSelection } from '../rule/selection.ts'
import type { BatchCall } from './batch-calls.ts'
import { refuseHookResponse, withBatchErrors } from './batch-errors.ts'
import { runRequestHooks } from './run-request-hooks.ts'

/** Phase 1 of one operation. A response of a hook refuses the operation. */
export async function runOperationRequestHooks({
  endpoint,
  context,
  operation,
  payload,
  relatedIds,
}: BatchCall): Promise<void> {
  const { hooks, relatedHooks } = endpoint
  const all = relatedHooks
    ? [...hooks.request, ...relatedHooks(defaultSelection, payload)]
    : hooks.request
  const response = await withBatchErrors(operation, async () => {
    const hookResponse = await runRequestHooks(all, context)
    if (relatedIds > 0 && !hookResponse)
      for (const hook of hooks.relatedIds) await hook(context, relatedIds)
    return hookResponse
  })
  if (response) await refuseHookResponse(response, operation)
}
