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
  encoding: ResponseContext,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): ApiResponse | Promise<ApiResponse> {
  const { representers, model, selection } = encoding
  const isPlain = isItemSentAsStored(representers.get(model)!, selection)
  return isPlain
    ? encodeStoredItem(encoding, item, status, headers)
    : encodeMappedItem(encoding, item, status, headers)
}

/** The item goes out as it is stored: its tag is known before its document is made. */
function encodeStoredItem(
  encoding: ResponseContext,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): ApiResponse {
  const { documentCache } = encoding
  const { hash } = item
  const text = () => storedItemDocument(encoding, item, itemDocumentFacts(encoding, headers))
  const body = (): ResponseBody =>
    documentCache && hash !== null
      ? { kind: 'bytes', bytes: documentCache.get(hash) ?? documentCache.add(hash, text()) }
      : textBody(text())
  return conditionalResponse(encoding, status, headers, itemTag(item), body)
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
  encoding: ResponseContext,
  item: StoredItem,
  status: number,
  headers: HeaderFields,
): Promise<ApiResponse> {
  const facts = itemDocumentFacts(encoding, headers)
  const written = await writeDocument(
    { ...encoding, facts },
    encoding.serializer.itemFrame(encoding.model, facts),
    [[item]],
  )
  if (written.kind !== 'stream')
    return conditionalResponse(
      encoding,
      status,
      headers,
      representationTag(item, written),
      () => written,
    )
  headers['content-type'] = contentType(encoding)
  headers.etag = uniqueTag(item)
  return {
    status,
    headers: responseHeaders(encoding, headers),
    body: await startedStreamBody(encoding, written.chunks),
  }
}

const noAnnotations = Object.freeze({})

/** A new item's document stands at its own address, not at the one it was sent to. */
function itemDocumentFacts(encoding: ResponseContext, { location }: HeaderFields): DocumentFacts {
  return documentFacts(
    location === undefined ? encoding : { ...encoding, address: () => location },
    notPaged,
  )
}
