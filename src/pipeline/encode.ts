import type { ApiResponse } from '../http/api-response.ts'
import { noBody } from '../http/api-response.ts'
import { encodePathSegment } from '../http/header-value.ts'
import { linkHeader } from '../http/link-header.ts'
import { withProfiles } from '../http/media-uris.ts'
import { notModified } from '../http/precondition.ts'
import type { Result } from '../operation/job.ts'
import { linkageVersion } from '../operation/linkage-version.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import type { DocumentFacts } from '../serializer/serializer.ts'
import type { PlacedItem } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { representationTag, storedTag } from './entity-tag.ts'
import { pageLinks } from './page-links.ts'
import { needsSeal } from './seals.ts'
import { withAccept } from './vary.ts'
import { documentChunks, documentText, type Writing } from './write-document.ts'

type HeaderFields = Record<string, string>

/** What is known of the answer before its document is. */
export interface Encoding extends Omit<Writing, 'facts'> {
  /** The URIs of the profiles it follows. */
  readonly profiles: readonly string[]
  /** Whether each item of a page comes with its place: for clients that asked for a profile that knows such places. */
  readonly tellsCursors: boolean
  readonly address: () => string
}

/** Makes the answer of what an operation came to. */
export async function encode(encoding: Encoding, plan: QueryPlan, result: Result): Promise<ApiResponse> {
  const { status } = encoding.context.rule.response
  switch (result.kind) {
    case 'removed':
      return { status, headers: headersOf(encoding, {}), body: noBody }
    case 'related':
      return { status, headers: headersOf(encoding, tagged(result.etag)), body: noBody }
    case 'item':
      return encodeItem(encoding, result.item, status, {})
    case 'nothing':
      return encodeLinkage(encoding, { items: [], many: false, total: undefined, owner: result.owner, whole: false })
    case 'created':
      return encodeItem(encoding, result.item, 201, { location: addressOfItem(encoding, result.item.id) })
    case 'linkage':
      return encodeLinkage(encoding, result)
    case 'stream':
      return encodeStream(encoding, result)
    case 'page':
      return encodePage(encoding, plan, result)
  }
}

/** A document's headers, with those that middleware set. */
function headersOf({ context }: Encoding, headers: HeaderFields): HeaderFields {
  const all = { ...headers, vary: 'Accept', 'x-content-type-options': 'nosniff', ...context.headers }
  return all.vary === 'Accept' ? all : { ...all, vary: withAccept(all.vary) }
}

function typeOf({ serializer, profiles }: Encoding): HeaderFields {
  return { 'content-type': withProfiles(serializer.mediaType, profiles) }
}

function tagged(etag: string | undefined): HeaderFields {
  return etag === undefined ? {} : { etag }
}

async function encodeItem(
  encoding: Encoding,
  item: StoredItem,
  status: number,
  more: HeaderFields,
): Promise<ApiResponse> {
  const { serializer, representers, model, selection } = encoding
  const { location } = more
  const facts = factsOf(location === undefined ? encoding : { ...encoding, address: () => location }, notPaged)
  const frame = serializer.one(model, facts)
  const typed = { 'content-type': withProfiles(serializer.mediaType, encoding.profiles), ...more }
  if (selection.include === undefined && representers.get(model)!.isPlain(selection.fields)) {
    const text = () =>
      frame.open + serializer.item(model, { kind: 'stored', item }, facts, {}) + frame.afterItems + frame.close
    return conditional(encoding, status, typed, storedTag(item), text)
  }
  const text = await documentText({ ...encoding, facts }, frame, [item])
  return conditional(encoding, status, typed, representationTag(item, text), () => text)
}

/** Identifiers carry the version of the item whose relation they are. */
async function encodeLinkage(
  encoding: Encoding,
  { items, many, total, owner, whole }: Omit<Extract<Result, { kind: 'linkage' }>, 'kind'>,
): Promise<ApiResponse> {
  const { serializer, model, selection } = encoding
  const facts = factsOf(encoding, { ...notPaged, total })
  const frame = many ? serializer.list(model, facts) : serializer.one(model, facts)
  const text = await documentText({ ...encoding, facts }, frame, items)
  const isWhole = whole && selection.include === undefined && owner.hash !== null
  const etag = isWhole ? `"${linkageVersion(owner, items)}"` : representationTag(owner, text)
  return conditional(encoding, 200, typeOf(encoding), etag, () => text)
}

/** The text, unless the client has it already. */
function conditional(
  encoding: Encoding,
  status: number,
  headers: HeaderFields,
  etag: string,
  text: () => string,
): ApiResponse {
  const { method, headers: sent } = encoding.context.request
  if ((method === 'GET' || method === 'HEAD') && notModified(sent, etag))
    return { status: 304, headers: headersOf(encoding, { etag }), body: noBody }
  return { status, headers: headersOf(encoding, { ...headers, etag }), body: { kind: 'text', text: text() } }
}

async function encodeStream(
  encoding: Encoding,
  { batches, total }: Extract<Result, { kind: 'stream' }>,
): Promise<ApiResponse> {
  const { serializer, model } = encoding
  const headers = headersOf(encoding, typeOf(encoding))
  // Nothing is read that nobody gets.
  if (encoding.context.request.method === 'HEAD') return { status: 200, headers, body: noBody }
  const facts = factsOf(encoding, { ...notPaged, total })
  const chunks = await documentChunks({ ...encoding, facts }, serializer.list(model, facts), batches)
  return { status: 200, headers, body: { kind: 'stream', chunks } }
}

async function encodePage(
  encoding: Encoding,
  plan: QueryPlan,
  found: Extract<Result, { kind: 'page' }>,
): Promise<ApiResponse> {
  const { parts, serializer, model, selection, context } = encoding
  const { view, response } = context.rule
  const pages = pageLinks(parts, view, context.request, encoding.address(), selection.page, plan, found)
  const truncated = plan.window.kind === 'between' && found.more
  const facts = factsOf(encoding, { pages, total: found.total, truncated })
  const items = found.items.map((placed) => placed.item)
  const write = (placed: PlacedItem) =>
    parts.cursors.write(plan.sort, placed.position, needsSeal(parts, view, plan.sort))
  const cursors = encoding.tellsCursors ? found.items.map(write) : undefined
  const text = await documentText({ ...encoding, facts }, serializer.list(model, facts), items, cursors)
  const links = Object.entries(pages).flatMap(([rel, href]) => (href === null ? [] : { rel, href }))
  const headers = {
    ...typeOf(encoding),
    ...(response.headers.includes('link') && { link: linkHeader(links) }),
  }
  return { status: 200, headers: headersOf(encoding, headers), body: { kind: 'text', text } }
}

type PageFacts = Pick<DocumentFacts, 'pages' | 'total' | 'truncated'>

const notPaged: PageFacts = Object.freeze({ pages: undefined, total: undefined, truncated: false })

function factsOf(
  { parts, context, address, profiles }: Encoding,
  { pages, total, truncated }: PageFacts,
): DocumentFacts {
  return {
    request: context.request,
    base: parts.base(),
    address,
    profiles,
    holds: context.rule.response.content === 'linkage' ? 'identifiers' : 'items',
    pages,
    total,
    truncated,
  }
}

function addressOfItem({ parts, model }: Encoding, id: string): string {
  return `${parts.base()}/${model.plural}/${encodePathSegment(id)}`
}
