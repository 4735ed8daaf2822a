import type { Context } from '../context/context.ts'
import { itemText as textOfItem } from '../document/write-items.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import { withAccept } from '../http/headers/vary.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { BatchRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import { noProfiles } from './apply-profiles.ts'
import type { BatchCall } from './batch-calls.ts'
import type { RouterServices } from './router-services.ts'
import type { BatchResult } from './run-batch.ts'

/** The response of a batch: the items of its operations, in order; empty if there are none. */
export async function encodeBatch(
  services: RouterServices,
  { response }: BatchRule,
  results: readonly BatchResult[],
  selection: Selection,
  context: Context,
): Promise<ApiResponse> {
  const items: (string | undefined)[] = []
  for (const { call, result } of results)
    items.push(await itemText(services, call, result, selection))
  const { serializer, status, emptyStatus } = response
  const headers = {
    'x-content-type-options': 'nosniff',
    ...context.headers,
    vary: withAccept(context.headers.vary),
  }
  if (items.every((item) => item === undefined))
    return { status: emptyStatus, headers, body: noBody }
  return {
    status,
    headers: { 'content-type': serializer.mediaType, ...headers },
    body: { kind: 'text', text: serializer.writeResults(items) },
  }
}

/** The item as the response to the operation alone would hold it. */
async function itemText(
  services: RouterServices,
  { endpoint, context }: BatchCall,
  result: OperationResult,
  selection: Selection,
): Promise<string | undefined> {
  if (result.kind !== 'item' && result.kind !== 'created') return undefined
  const facts = {
    query: '',
    urlPrefix: services.urlPrefix(),
    address: () => endpoint.address(context),
    content: 'items',
    profiles: noProfiles,
    pageLinks: undefined,
    pageParameters: undefined,
    total: undefined,
    isTruncated: false,
    members: undefined,
    summary: '',
    can: undefined,
  } as const
  return textOfItem({ services, endpoint, selection, context, facts }, result.item)
}
