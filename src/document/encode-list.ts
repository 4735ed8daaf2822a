import { type ApiResponse, noBody } from '../http/api-response.ts'
import { formatLinkHeader } from '../http/headers/link-header.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import { freeBytes, ownBytes } from '../http/owned-bytes.ts'
import type { OperationResult } from '../operation/operation-result.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { DocumentFrame } from '../serializer/serializer.ts'
import { insertBaseAddressInBytes } from '../stored-item/insert-base-address.ts'
import { chunksOrStream } from './chunks-or-stream.ts'
import { needsEncryptedCursors } from './cursor-encryption.ts'
import { frameBatches } from './frame-batches.ts'
import { joinAdjacentText } from './join-adjacent-text.ts'
import { type PageBounds, type PageLinks, pageLinks } from './page-links.ts'
import {
  contentType,
  documentFacts,
  type HeaderFields,
  notPaged,
  type ResponseContext,
  responseHeaders,
  startedStreamBody,
} from './response-context.ts'
import { type DocumentContext, streamDocument, writeDocument } from './write-document.ts'
import { writeRawIncluded } from './write-raw-included.ts'

export function encodeItemStream(
  responseContext: ResponseContext,
  { batches, total }: Extract<OperationResult, { kind: 'stream' }>,
): Promise<ApiResponse> {
  return streamResponse(responseContext, total, (documentContext, frame) =>
    streamDocument(documentContext, frame, batches),
  )
}

export function encodeRawStream(
  responseContext: ResponseContext,
  { batches, total }: Extract<OperationResult, { kind: 'rawStream' }>,
): Promise<ApiResponse> {
  const { model, services } = responseContext
  const batchesWithAddresses =
    model.resourcePaths.length === 0 ? batches : withAddresses(batches, services.urlPrefix())
  const writeItems = (head: string, text: Uint8Array) => [head, text]
  return streamResponse(responseContext, total, (documentContext, frame) =>
    frameBatches(documentContext, frame, batchesWithAddresses, {
      writeItems,
      writeIncluded: undefined,
    }),
  )
}

async function streamResponse(
  responseContext: ResponseContext,
  total: number | undefined,
  write: (
    documentContext: DocumentContext,
    frame: DocumentFrame,
  ) => Promise<AsyncIterable<string | Uint8Array>>,
): Promise<ApiResponse> {
  const headers = responseHeaders(responseContext, { 'content-type': contentType(responseContext) })
  // A response to HEAD has no body, so the list is not read.
  if (responseContext.context.request.method === 'HEAD')
    return { status: 200, headers, body: noBody }
  const facts = documentFacts(responseContext, { ...notPaged, total })
  const chunks = await write(
    { ...responseContext, facts },
    responseContext.serializer.listFrame(responseContext.model, facts),
  )
  return { status: 200, headers, body: { kind: 'stream', chunks } }
}

async function* withAddresses(
  batches: AsyncIterable<Uint8Array>,
  base: string,
): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    const batchesWithAddresses = insertBaseAddressInBytes(batch, base)
    if (batchesWithAddresses !== batch) freeBytes(batch)
    yield batchesWithAddresses === batch ? batch : ownBytes(batchesWithAddresses)
  }
}

export async function encodePage(
  responseContext: ResponseContext,
  plan: QueryPlan,
  page: Extract<OperationResult, { kind: 'page' }>,
): Promise<ApiResponse> {
  const { services, rule, serializer, model } = responseContext
  const { entries, batches, hasMore, total } = page
  const pages = linksOfPage(responseContext, plan, {
    firstPosition: entries[0]?.position,
    lastPosition: entries.at(-1)?.position,
    hasMore,
    total,
  })
  const facts = documentFacts(responseContext, {
    pageLinks: pages,
    total,
    isTruncated: isTruncated(plan, page),
  })
  const isEncrypted = needsEncryptedCursors(services, rule.view, plan.sort)
  const cursors = responseContext.selection.hasItemCursors
    ? new Map(
        entries.map(({ id, position }) => [
          id,
          services.cursorCodec.encode(plan.sort, position, isEncrypted),
        ]),
      )
    : undefined
  const document = await writeDocument(
    { ...responseContext, facts },
    serializer.listFrame(model, facts),
    batches,
    cursors,
  )
  const body =
    document.kind === 'stream'
      ? await startedStreamBody(responseContext, document.chunks)
      : document
  return { status: 200, headers: pageHeaders(responseContext, pages), body }
}

export async function encodeSerializedPage(
  responseContext: ResponseContext,
  plan: QueryPlan,
  { page, total }: Extract<OperationResult, { kind: 'serializedPage' }>,
): Promise<ApiResponse> {
  const { serializer, model, selection } = responseContext
  const pages = linksOfPage(responseContext, plan, { ...page, total })
  const facts = documentFacts(responseContext, {
    pageLinks: pages,
    total,
    isTruncated: isTruncated(plan, page),
  })
  const frame = serializer.listFrame(model, facts)
  const headers = pageHeaders(responseContext, pages)
  const pieces = [frame.open, page.bytes, frame.afterItems]
  if (!selection.include)
    return {
      status: 200,
      headers,
      body: { kind: 'buffers', buffers: joinAdjacentText([...pieces, frame.close]) },
    }
  return { status: 200, headers, body: await chunksOrStream(responseContext, document()) }

  async function* document(): AsyncGenerator<string | Uint8Array> {
    yield* pieces
    yield* writeRawIncluded({ ...responseContext, facts }, frame, page.linkedIds)
    yield frame.close
  }
}

/** Whether a page between two cursors holds fewer items than lie between them. */
function isTruncated(
  { pageRange }: QueryPlan,
  { hasMore }: { readonly hasMore: boolean },
): boolean {
  return pageRange.kind === 'between' && hasMore
}

function linksOfPage(
  { services, rule, selection, address }: ResponseContext,
  plan: QueryPlan,
  page: PageBounds,
): PageLinks {
  return pageLinks(
    services,
    rule.view,
    address(),
    selection.canonicalQuery,
    selection.page,
    plan,
    page,
  )
}

function pageHeaders(responseContext: ResponseContext, pages: PageLinks): ResponseHeaders {
  const headers: HeaderFields = { 'content-type': contentType(responseContext) }
  if (responseContext.rule.response.headers.link) {
    headers.link = formatLinkHeader(
      Object.entries(pages).flatMap(([rel, href]) => (href === null ? [] : { rel, href })),
    )
  }
  return responseHeaders(responseContext, headers)
}
