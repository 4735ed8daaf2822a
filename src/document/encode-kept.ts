import type { ApiResponse } from '../http/api-response.ts'
import { canonicalDateTime } from '../model/declare/date-time.ts'
import type { KeptPage, OperationResult } from '../operation/operation-result.ts'
import type { ItemVersion } from '../store/history/version-table.ts'
import type { TrashedItem } from '../store/trash/trash-table.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { keptItemText } from './kept-item-text.ts'
import { contentType, type ResponseContext, responseHeaders, textBody } from './response-context.ts'

type Kept = Extract<OperationResult, { kind: 'version' | 'versions' | 'trash' | 'trashed' }>

/** Versions, or deleted items, each with its facts and the item as the protocol writes it. */
export async function encodeKept(
  responseContext: ResponseContext,
  result: Kept,
  status: number,
): Promise<ApiResponse> {
  const text = await textOf(responseContext, result)
  const headers = responseHeaders(responseContext, { 'content-type': contentType(responseContext) })
  const { serializer } = responseContext.endpoint
  return { status, headers, body: textBody(serializer.writeOutput(text)) }
}

async function textOf(responseContext: ResponseContext, result: Kept): Promise<string> {
  switch (result.kind) {
    case 'version':
      return versionText(responseContext, result.version)
    case 'versions':
      return pageText(responseContext, 'versions', result.page, (version) =>
        versionText(responseContext, version),
      )
    case 'trash':
      return pageText(responseContext, 'trash', result.page, (trashed) =>
        trashedText(responseContext, trashed),
      )
    case 'trashed':
      return trashedText(responseContext, result.trashed)
  }
}

function trashedText(
  responseContext: ResponseContext,
  { deletedMs, caller, item }: TrashedItem,
): Promise<string> {
  return entryText(responseContext, { time: timeOf(deletedMs), caller }, item)
}

function versionText(
  responseContext: ResponseContext,
  { number, timeMs, caller, item }: ItemVersion,
): Promise<string> {
  const time = timeMs === null ? null : timeOf(timeMs)
  return entryText(responseContext, { number, time, caller }, item)
}

/** As items have times. */
function timeOf(timeMs: number): string {
  const text = new Date(timeMs).toISOString()
  return canonicalDateTime(text) ?? text
}

async function entryText(
  responseContext: ResponseContext,
  facts: object,
  item: StoredItem,
): Promise<string> {
  return `${JSON.stringify(facts).slice(0, -1)},"item":${await keptItemText(responseContext, item)}}`
}

async function pageText<Entry extends ItemVersion | TrashedItem>(
  responseContext: ResponseContext,
  name: string,
  { entries, next, size }: KeptPage<Entry>,
  write: (entry: Entry) => Promise<string>,
): Promise<string> {
  const texts: string[] = []
  for (const entry of entries) texts.push(await write(entry))
  const { services, address } = responseContext
  // Encrypted, because it may name an item that the caller does not see.
  const link =
    next === undefined
      ? null
      : `${address()}?page%5Bsize%5D=${size}&page%5Bafter%5D=${services.cursorCodec.encode([], [next], true)}`
  return `{"${name}":[${texts.join(',')}],"next":${JSON.stringify(link)}}`
}
