import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import { isNotModified } from '../http/headers/precondition.ts'
import type { UnreadItem } from '../operation/unread-item.ts'
import { noAnnotations } from '../serializer/outgoing-item.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { itemTag, representationTag, uniqueTag } from './item-tags.ts'
import { isItemSentAsStored } from './represent.ts'
import {
  bytesBody,
  conditionalResponse,
  contentType,
  documentFacts,
  type HeaderFields,
  notModifiedResponse,
  notPaged,
  type ResponseContext,
  responseHeaders,
  startedStreamBody,
  textBody,
} from './response-context.ts'
import { writeDocument } from './write-document.ts'

export function encodeItem(
  responseContext: ResponseContext,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): ApiResponse | Promise<ApiResponse> {
  const { endpoint, selection } = responseContext
  const isPlain = isItemSentAsStored(endpoint.representers.get(endpoint.model)!, selection)
  return isPlain
    ? encodeStoredItem(responseContext, item, status, headers)
    : encodeMappedItem(responseContext, item, status, headers)
}

/**
 * Reads the version before the item where the version may be enough, because the client or the
 * cache may have this version. The item may have a later version when it is read after that.
 */
export async function encodeUnreadItem(
  responseContext: ResponseContext,
  unreadItem: UnreadItem,
  status: number,
): Promise<ApiResponse> {
  const { endpoint, selection, context, documentCache } = responseContext
  if (!isItemSentAsStored(endpoint.representers.get(endpoint.model)!, selection))
    return encodeMappedItem(responseContext, await unreadItem.read(), status, {})
  const cachedDocument = documentCache?.get(context.id!)
  if (cachedDocument || context.request.headers['if-none-match'] !== undefined) {
    const version = await unreadItem.readVersion()
    const etag = `"${version}"`
    if (version !== undefined && isNotModified(context.request.headers, etag))
      return notModifiedResponse(responseContext, etag)
    if (version !== undefined && version === cachedDocument?.version)
      return conditionalResponse(responseContext, status, {}, etag, () =>
        bytesBody(cachedDocument.bytes),
      )
  }
  const item = await unreadItem.read()
  return encodeStoredItem(responseContext, item, status, {})
}

/** The item is sent as it is stored, so its tag is known before its document is written. */
function encodeStoredItem(
  responseContext: ResponseContext,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): ApiResponse {
  const { documentCache } = responseContext
  const body = (): ResponseBody => {
    const facts = itemDocumentFacts(responseContext, headers)
    const text = storedItemDocument(responseContext, item, facts)
    if (!documentCache || item.hash === null) return textBody(text)
    const bytes = Buffer.from(text)
    documentCache.set(item.id, { version: item.hash, bytes })
    return bytesBody(bytes)
  }
  return conditionalResponse(responseContext, status, headers, itemTag(item), body)
}

function storedItemDocument(
  { endpoint: { serializer, model } }: ResponseContext,
  item: StoredItem,
  facts: DocumentFacts,
): string {
  const { open, afterItems, close } = serializer.itemFrame(model, facts)
  return (
    open +
    serializer.writeItem(model, { kind: 'stored', item }, facts.urlPrefix, noAnnotations) +
    afterItems +
    close
  )
}

async function encodeMappedItem(
  responseContext: ResponseContext,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): Promise<ApiResponse> {
  const { endpoint } = responseContext
  const facts = itemDocumentFacts(responseContext, headers)
  const body = await writeDocument(
    { ...responseContext, facts },
    endpoint.serializer.itemFrame(endpoint.model, facts),
    [[item]],
  )
  if (body.kind !== 'stream')
    return conditionalResponse(
      responseContext,
      status,
      headers,
      representationTag(item, body),
      () => body,
    )
  headers['content-type'] = contentType(responseContext)
  headers.etag = uniqueTag(item)
  return {
    status,
    headers: responseHeaders(responseContext, headers),
    body: await startedStreamBody(responseContext, body.chunks),
  }
}

/** The document of a new item stands at the item's own address, not at that of the request. */
function itemDocumentFacts(
  responseContext: ResponseContext,
  { location }: HeaderFields,
): DocumentFacts {
  return documentFacts(
    location === undefined ? responseContext : { ...responseContext, address: () => location },
    notPaged,
  )
}
