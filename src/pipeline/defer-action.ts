import type { Context } from '../context/context.ts'
import { parseWritePrecondition } from '../http/headers/precondition.ts'
import type { ActionDescription } from '../model/action-description.ts'
import { validateActionInput } from '../operation/action/validate-action-input.ts'
import { findItem } from '../operation/find-item.ts'
import { checkPreconditions } from '../operation/preconditions.ts'
import { shownItem } from '../operation/shown-item.ts'
import { Validations } from '../operation/validations.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { ActionPayload } from '../serializer/payload.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import { type Deferral, prefersDeferral } from './deferral.ts'
import type { OperationRunner } from './model-endpoint.ts'
import type { RouterServices } from './router-services.ts'

/**
 * Keeps requests for an action in place of running it, once what can refuse them now has been
 * checked: the item, the right to call the action, its input, and the preconditions. The job checks
 * them again, because all of them may have changed by then.
 * @returns undefined for a request that is carried out at once
 */
export function actionDeferral(
  services: RouterServices,
  rule: ModelRule,
  action: ActionDescription,
  deferral: Deferral,
): (context: Context) => OperationRunner | undefined {
  const { guards, wholeStore, validationTimeoutMs } = services
  const { view } = rule
  const requireMatch = view.requiresIfMatch
  return (context) => {
    if (!prefersDeferral(context.request) || !deferral.serves(context)) return undefined
    const chunks: Uint8Array[] = []
    return {
      addBody: (bytes) => chunks.push(bytes),
      refuseLines: refuseLinesOfAction,
      run: async (_, { pagedPlan, payload }) => {
        const reader = storeForCaller(wholeStore, context)
        const item = await findItem(reader, { view, context, guards, plan: pagedPlan.plan }) // 403 404
        await validateActionInput({
          action,
          actionPayload: payload as ActionPayload,
          validations: new Validations(validationTimeoutMs, context),
        }) //                                                                            400 422
        const precondition = parseWritePrecondition(context.request.headers)
        const shown = await shownItem(reader, { view, context, guards }, item)
        checkPreconditions({ view, precondition, requireMatch }, shown) //                412 428
        const body = chunksOf(chunks)
        const response = await deferral.defer({
          context,
          kind: 'action',
          body,
          preferences: undefined,
        }) // 413 429
        return { kind: 'response', response }
      },
    }
  }
}

/** No request for an action comes here with lines. */
export function refuseLinesOfAction(): never {
  throw new Error('An action has no lines.')
}

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* chunks
}
