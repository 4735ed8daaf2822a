import type { Context } from '../context/context.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { validateActionInput } from '../operation/action/validate-action-input.ts'
import { findItem } from '../operation/find-item.ts'
import { Validations } from '../operation/validations.ts'
import { refuseManyValues } from '../operation/value-limit.ts'
import type { ActionPayload } from '../serializer/payload.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import { decode } from './decode.ts'
import { type Deferral, prefersDeferral } from './deferral.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import type { RouterServices } from './router-services.ts'

/** An endpoint whose requests can be carried out later. */
export interface DeferrableEndpoint extends ModelEndpoint {
  readonly deferral: Deferral
}

/**
 * Keeps an action for later, once its parameters, its item, the right to call it and its input are
 * checked. The job checks the item and the right again: both may be gone by then.
 * @returns undefined where it is carried out at once
 * @throws ApiError
 */
export async function deferAction(
  services: RouterServices,
  endpoint: DeferrableEndpoint,
  context: Context,
): Promise<ApiResponse | undefined> {
  const { limits, guards, wholeStore, validationTimeoutMs } = services
  const { deferral, rule } = endpoint
  const { request } = context
  // A single new item is no long request.
  const { target, view } = rule
  if (target.kind !== 'action') return undefined
  if (!prefersDeferral(request) || !deferral.serves(context)) return undefined
  // A key keeps the result of a request that is carried out at once.
  if (endpoint.runnerOf?.(context)) return undefined //                               400
  const selection = endpoint.select(request.query) //                                 400
  const chunks: Uint8Array[] = []
  const payload = await decode(rule, request, limits, (bytes) => chunks.push(bytes)) // 400 413
  refuseManyValues(payload, limits.maxItemValues) //                                  400
  const { plan } = await endpoint.narrow(selection, context) //                       400
  const reader = storeForCaller(wholeStore, context)
  await findItem(reader, { view, context, guards, plan }) //                          403 404
  await validateActionInput({
    action: target.action,
    actionPayload: payload as ActionPayload,
    validations: new Validations(validationTimeoutMs, context),
  }) //                                                                                422
  return deferral.defer({ context, kind: 'action', body: chunksOf(chunks), preferences: undefined })
}

async function* chunksOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array, void> {
  yield* chunks
}
