import { freeBytes, ownBytes } from '../cache/owned-bytes.ts'
import { type ApiResponse, noBody } from '../http/api-response.ts'
import { linkHeader } from '../http/link-header.ts'
import type { ResponseHeaders } from '../http/response-headers.ts'
import type { Result } from '../operation/job.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { ListFrame } from '../serializer/serializer.ts'
import { bytesWithAddresses } from '../store/addresses.ts'
import { type Encoding, factsOf, type HeaderFields, headersOf, notPaged, typeOf, writtenBody } from './encoding.ts'
import { framedBatches } from './framed-batches.ts'
import { includedTexts } from './include-texts.ts'
import { type FoundPage, type PageLinks, pageLinks } from './page-links.ts'
import { partsOf } from './parts-of.ts'
import { partsOrStream } from './parts-or-stream.ts'
import { needsSeal } from './seals.ts'
import { documentChunks, documentText, type Writing } from './write-document.ts'

export function encodeStream(
  encoding: Encoding,
  { batches, total }: Extract<Result, { kind: 'stream' }>,
): Promise<ApiResponse> {
  return streamed(encoding, total, (writing, frame) => documentChunks(writing, frame, batches))
}

export function encodeTexts(
  encoding: Encoding,
  { batches, total }: Extract<Result, { kind: 'texts' }>,
): Promise<ApiResponse> {
  const { model, parts } = encoding
  const texts = model.slots.length === 0 ? batches : addressed(batches, parts.base())
  const items = (head: string, text: Uint8Array) => [head, text]
  return streamed(encoding, total, (writing, frame) =>
    framedBatches(writing, frame, texts, { items, included: undefined }),
  )
}

async function streamed(
  encoding: Encoding,
  total: number | undefined,
  write: (writing: Writing, frame: ListFrame) => Promise<AsyncIterable<string | Uint8Array>>,
): Promise<ApiResponse> {
  const headers = headersOf(encoding, { 'content-type': typeOf(encoding) })
  // Nothing is read that nobody gets.
  if (encoding.context.request.method === 'HEAD') return { status: 200, headers, body: noBody }
  const facts = factsOf(encoding, { ...notPaged, total })
  const chunks = await write({ ...encoding, facts }, encoding.serializer.list(encoding.model, facts))
  return { status: 200, headers, body: { kind: 'stream', chunks } }
}

async function* addressed(batches: AsyncIterable<Uint8Array>, base: string): AsyncGenerator<Uint8Array> {
  for await (const batch of batches) {
    const texts = bytesWithAddresses(batch, base)
    if (texts !== batch) freeBytes(batch)
    yield texts === batch ? batch : ownBytes(texts)
  }
}

export async function encodePage(
  encoding: Encoding,
  plan: QueryPlan,
  found: Extract<Result, { kind: 'page' }>,
): Promise<ApiResponse> {
  const { parts, rule, serializer, model } = encoding
  const { places, batches, more, total } = found
  const pages = linksOf(encoding, plan, { first: places[0]?.position, last: places.at(-1)?.position, more, total })
  const facts = factsOf(encoding, { pages, total, truncated: isTruncated(plan, found) })
  const sealed = needsSeal(parts, rule.view, plan.sort)
  const cursors = encoding.selection.tellsPlaces
    ? new Map(places.map(({ id, position }) => [id, parts.cursors.write(plan.sort, position, sealed)]))
    : undefined
  const written = await documentText({ ...encoding, facts }, serializer.list(model, facts), batches, cursors)
  const body = written.kind === 'stream' ? await writtenBody(encoding, written.chunks) : written
  return { status: 200, headers: pageHeaders(encoding, pages), body }
}

export async function encodeTextPage(
  encoding: Encoding,
  plan: QueryPlan,
  { page, total }: Extract<Result, { kind: 'textPage' }>,
): Promise<ApiResponse> {
  const { serializer, model, selection } = encoding
  const pages = linksOf(encoding, plan, { ...page, total })
  const facts = factsOf(encoding, { pages, total, truncated: isTruncated(plan, page) })
  const frame = serializer.list(model, facts)
  const headers = pageHeaders(encoding, pages)
  const pieces = [frame.open, page.texts, frame.afterItems]
  if (!selection.include)
    return { status: 200, headers, body: { kind: 'parts', parts: partsOf([...pieces, frame.close]) } }
  return { status: 200, headers, body: await partsOrStream(encoding, document()) }

  async function* document(): AsyncGenerator<string | Uint8Array> {
    yield* pieces
    yield* includedTexts({ ...encoding, facts }, frame, page.linked)
    yield frame.close
  }
}

/** Does a page between two places hold less than lies between them? */
function isTruncated({ window }: QueryPlan, { more }: { readonly more: boolean }): boolean {
  return window.kind === 'between' && more
}

function linksOf({ parts, rule, selection, address }: Encoding, plan: QueryPlan, found: FoundPage): PageLinks {
  return pageLinks(parts, rule.view, address(), selection.spelled, selection.page, plan, found)
}

function pageHeaders(encoding: Encoding, pages: PageLinks): ResponseHeaders {
  const headers: HeaderFields = { 'content-type': typeOf(encoding) }
  if (encoding.rule.response.headers.link) {
    headers.link = linkHeader(Object.entries(pages).flatMap(([rel, href]) => (href === null ? [] : { rel, href })))
  }
  return headersOf(encoding, headers)
}
