import { itemConditions } from '../access/capabilities.ts'
import type { ApiResponse, ResponseBody } from '../http/api-response.ts'
import { isNotModified } from '../http/headers/precondition.ts'
import type { UnreadItem } from '../operation/unread-item.ts'
import { andAlso, idEquals } from '../query/conditions.ts'
import type { Condition } from '../query/query-plan.ts'
import { noAnnotations } from '../serializer/outgoing-item.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { CachedDocument } from './document-cache.ts'
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
  return isPlain(responseContext)
    ? encodeStoredItem(responseContext, item, status, headers)
    : encodeMappedItem(responseContext, item, status, headers)
}

/**
 * Reads the version before the item where the version may be enough, because the client or the
 * cache may have this version. The item may have a later version when it is read after that.
 */
export function encodeUnreadItem(
  responseContext: ResponseContext,
  unreadItem: UnreadItem,
  status: number,
): Promise<ApiResponse> {
  const { context, documentCache } = responseContext
  if (!isPlain(responseContext))
    return unreadItem.read().then((item) => encodeMappedItem(responseContext, item, status, {}))
  const cachedDocument = documentCache?.get(context.id!)
  return cachedDocument || context.request.headers['if-none-match'] !== undefined
    ? encodeVersion(responseContext, unreadItem, status, cachedDocument)
    : readAndEncode(responseContext, unreadItem, status)
}

/** Reads the version, and the item only if the client and the cache have another version. */
async function encodeVersion(
  responseContext: ResponseContext,
  unreadItem: UnreadItem,
  status: number,
  cachedDocument: CachedDocument | undefined,
): Promise<ApiResponse> {
  const version = await unreadItem.readVersion()
  const etag = `"${version}"`
  if (version !== undefined && isNotModified(responseContext.context.request.headers, etag))
    return notModifiedResponse(responseContext, etag)
  if (version !== undefined && version === cachedDocument?.version)
    return conditionalResponse(responseContext, status, {}, etag, () =>
      bytesBody(cachedDocument.bytes),
    )
  return readAndEncode(responseContext, unreadItem, status)
}

function readAndEncode(
  responseContext: ResponseContext,
  unreadItem: UnreadItem,
  status: number,
): Promise<ApiResponse> {
  return unreadItem.read().then((item) => encodeStoredItem(responseContext, item, status, {}))
}

/** Is the document nothing but the item as it is stored? */
function isPlain({ services, endpoint, selection }: ResponseContext): boolean {
  return (
    services.views.of(endpoint.model).capabilities !== 'items' &&
    isItemSentAsStored(endpoint.representers.get(endpoint.model)!, selection)
  )
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
  const facts: DocumentFacts = {
    ...itemDocumentFacts(responseContext, headers),
    can: await allowedChanges(responseContext, item),
  }
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

/** JSON of what the caller may do with the item, where the router tells. */
async function allowedChanges(
  { services, endpoint: { model }, context }: ResponseContext,
  { id }: StoredItem,
): Promise<string | undefined> {
  const { views, guards, store } = services
  const view = views.of(model)
  if (view.capabilities !== 'items') return undefined
  const isAllowed = async (condition: Condition) => {
    if (condition.kind === 'always' || condition.kind === 'never')
      return condition.kind === 'always'
    return (await store.find(model, andAlso(condition, idEquals(id)), context)) !== undefined
  }
  const conditions = itemConditions(guards.accessOf(model), view, context)
  const areAllowed = async (named: Readonly<Record<string, Condition>>) => {
    const allowed: Record<string, boolean> = {}
    for (const [name, condition] of Object.entries(named))
      allowed[name] = await isAllowed(condition)
    return allowed
  }
  const actions = await areAllowed(conditions.actions)
  return JSON.stringify({
    update: !model.isReadOnly && (await isAllowed(conditions.update)),
    delete: !model.isReadOnly && (await isAllowed(conditions.delete)),
    ...(await areAllowed(conditions.versions)),
    actions,
  })
}
