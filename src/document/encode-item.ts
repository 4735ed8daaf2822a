import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { itemTag, representationTag, uniqueTag } from './item-tags.ts'
import { isItemSentAsStored } from './represent.ts'
import {
  conditionalResponse,
  contentType,
  documentFacts,
  type HeaderFields,
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
  const { representers, model, selection } = responseContext
  const isPlain = isItemSentAsStored(representers.get(model)!, selection)
  return isPlain
    ? encodeStoredItem(responseContext, item, status, headers)
    : encodeMappedItem(responseContext, item, status, headers)
}

/** The item is sent as it is stored, so its tag is known before its document is written. */
function encodeStoredItem(
  responseContext: ResponseContext,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): ApiResponse {
  const { documentCache } = responseContext
  const { hash } = item
  const text = () =>
    storedItemDocument(responseContext, item, itemDocumentFacts(responseContext, headers))
  const body = (): ResponseBody =>
    documentCache && hash !== null
      ? { kind: 'bytes', bytes: documentCache.get(hash) ?? documentCache.add(hash, text()) }
      : textBody(text())
  return conditionalResponse(responseContext, status, headers, itemTag(item), body)
}

function storedItemDocument(
  { serializer, model }: ResponseContext,
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
  const facts = itemDocumentFacts(responseContext, headers)
  const body = await writeDocument(
    { ...responseContext, facts },
    responseContext.serializer.itemFrame(responseContext.model, facts),
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

const noAnnotations = Object.freeze({})

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
