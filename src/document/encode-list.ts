import { freeBytes, ownBytes } from '../cache/owned-bytes.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import { formatLinkHeader } from '../http/headers/link-header.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import type { OperationResult } from '../operation/operation-input.ts'
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
  encoding: ResponseContext,
  { batches, total }: Extract<OperationResult, { kind: 'stream' }>,
): Promise<ApiResponse> {
  return streamResponse(encoding, total, (writing, frame) =>
    streamDocument(writing, frame, batches),
  )
}

export function encodeRawStream(
  encoding: ResponseContext,
  { batches, total }: Extract<OperationResult, { kind: 'texts' }>,
): Promise<ApiResponse> {
  const { model, services } = encoding
  const texts =
    model.resourcePaths.length === 0 ? batches : withAddresses(batches, services.urlPrefix())
  const items = (head: string, text: Uint8Array) => [head, text]
  return streamResponse(encoding, total, (writing, frame) =>
    frameBatches(writing, frame, texts, { writeItems: items, writeIncluded: undefined }),
  )
}

async function streamResponse(
  encoding: ResponseContext,
  total: number | undefined,
  write: (
    writing: DocumentContext,
    frame: DocumentFrame,
  ) => Promise<AsyncIterable<string | Uint8Array>>,
): Promise<ApiResponse> {
  const headers = responseHeaders(encoding, { 'content-type': contentType(encoding) })
  // Nothing is read that nobody gets.
  if (encoding.context.request.method === 'HEAD') return { status: 200, headers, body: noBody }
  const facts = documentFacts(encoding, { ...notPaged, total })
  const chunks = await write(
    { ...encoding, facts },
    encoding.serializer.listFrame(encoding.model, facts),
  )
  return { status: 200, headers, body: { kind: 'stream', chunks } }
}

async function* withAddresses(
  batches: AsyncIterable<Uint8Array>,
  base: string,
): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    const texts = insertBaseAddressInBytes(batch, base)
    if (texts !== batch) freeBytes(batch)
    yield texts === batch ? batch : ownBytes(texts)
  }
}

export async function encodePage(
  encoding: ResponseContext,
  plan: QueryPlan,
  found: Extract<OperationResult, { kind: 'page' }>,
): Promise<ApiResponse> {
  const { services, rule, serializer, model } = encoding
  const { entries, batches, hasMore, total } = found
  const pages = linksOfPage(encoding, plan, {
    firstPosition: entries[0]?.position,
    lastPosition: entries.at(-1)?.position,
    hasMore,
    total,
  })
  const facts = documentFacts(encoding, {
    pageLinks: pages,
    total,
    isTruncated: isTruncated(plan, found),
  })
  const sealed = needsEncryptedCursors(services, rule.view, plan.sort)
  const cursors = encoding.selection.hasItemCursors
    ? new Map(
        entries.map(({ id, position }) => [
          id,
          services.cursorCodec.encode(plan.sort, position, sealed),
        ]),
      )
    : undefined
  const written = await writeDocument(
    { ...encoding, facts },
    serializer.listFrame(model, facts),
    batches,
    cursors,
  )
  const body =
    written.kind === 'stream' ? await startedStreamBody(encoding, written.chunks) : written
  return { status: 200, headers: pageHeaders(encoding, pages), body }
}

export async function encodeSerializedPage(
  encoding: ResponseContext,
  plan: QueryPlan,
  { page, total }: Extract<OperationResult, { kind: 'textPage' }>,
): Promise<ApiResponse> {
  const { serializer, model, selection } = encoding
  const pages = linksOfPage(encoding, plan, { ...page, total })
  const facts = documentFacts(encoding, {
    pageLinks: pages,
    total,
    isTruncated: isTruncated(plan, page),
  })
  const frame = serializer.listFrame(model, facts)
  const headers = pageHeaders(encoding, pages)
  const pieces = [frame.open, page.bytes, frame.afterItems]
  if (!selection.include)
    return {
      status: 200,
      headers,
      body: { kind: 'parts', buffers: joinAdjacentText([...pieces, frame.close]) },
    }
  return { status: 200, headers, body: await chunksOrStream(encoding, document()) }

  async function* document(): AsyncGenerator<string | Uint8Array> {
    yield* pieces
    yield* writeRawIncluded({ ...encoding, facts }, frame, page.linkedIds)
    yield frame.close
  }
}

/** Does a page between two places hold less than lies between them? */
function isTruncated(
  { pageRange }: QueryPlan,
  { hasMore }: { readonly hasMore: boolean },
): boolean {
  return pageRange.kind === 'between' && hasMore
}

function linksOfPage(
  { services, rule, selection, address }: ResponseContext,
  plan: QueryPlan,
  found: PageBounds,
): PageLinks {
  return pageLinks(
    services,
    rule.view,
    address(),
    selection.canonicalQuery,
    selection.page,
    plan,
    found,
  )
}

function pageHeaders(encoding: ResponseContext, pages: PageLinks): ResponseHeaders {
  const headers: HeaderFields = { 'content-type': contentType(encoding) }
  if (encoding.rule.response.headers.link) {
    headers.link = formatLinkHeader(
      Object.entries(pages).flatMap(([rel, href]) => (href === null ? [] : { rel, href })),
    )
  }
  return responseHeaders(encoding, headers)
}
