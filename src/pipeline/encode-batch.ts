import type { Context } from '../context/context.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import type { Result } from '../operation/job.ts'
import type { BatchRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { Call } from './batch-calls.ts'
import type { Parts } from './parts.ts'
import { noProfiles } from './profiles.ts'
import { withAccept } from './vary.ts'
import { itemText as textOfItem } from './write-document.ts'

/** Makes the answer of a batch: the items that its operations came to, in their order; nothing where there are none. */
export async function encodeBatch(
  parts: Parts,
  { response }: BatchRule,
  calls: readonly Call[],
  results: readonly Result[],
  selection: Selection,
  context: Context,
): Promise<ApiResponse> {
  const items: (string | undefined)[] = []
  for (const [index, result] of results.entries()) items.push(await itemText(parts, calls[index]!, result, selection))
  const { serializer, status, emptyStatus } = response
  const headers = { 'x-content-type-options': 'nosniff', ...context.headers, vary: withAccept(context.headers.vary) }
  if (items.every((item) => item === undefined)) return { status: emptyStatus, headers, body: noBody }
  return {
    status,
    headers: { 'content-type': serializer.mediaType, ...headers },
    body: { kind: 'text', text: serializer.results(items) },
  }
}

/** The item as the answer to the operation alone would hold it. */
async function itemText(
  parts: Parts,
  { endpoint, context }: Call,
  result: Result,
  selection: Selection,
): Promise<string | undefined> {
  if (result.kind !== 'item' && result.kind !== 'created') return undefined
  const { rule, representers, pages, address } = endpoint
  const { serializer } = rule.response
  const facts = {
    query: '',
    base: parts.base(),
    address: () => address(context),
    holds: 'items',
    profiles: noProfiles,
    pages: undefined,
    total: undefined,
    truncated: false,
  } as const
  const { model } = rule.view
  return textOfItem({ parts, serializer, representers, pages, model, selection, context, facts }, result.item)
}
