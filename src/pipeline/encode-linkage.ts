import type { ApiResponse } from '../http/api-response.ts'
import type { Result } from '../operation/job.ts'
import { linkageVersion } from '../operation/linkage-version.ts'
import {
  conditional,
  type Encoding,
  factsOf,
  headersOf,
  notPaged,
  streamBody,
  textBody,
  typeOf,
  writtenBody,
} from './encoding.ts'
import { linkageTag, soleLinkageTag } from './entity-tag.ts'
import { wholeOrStreamed } from './large-text.ts'
import { identifiersAtOnce, linkageChunks } from './write-document.ts'

/** Identifiers carry the version of the item whose relation they are. */
export async function encodeLinkage(
  encoding: Encoding,
  { ids, many, total, owner, whole }: Omit<Extract<Result, { kind: 'linkage' }>, 'kind'>,
): Promise<ApiResponse> {
  const { serializer, model, selection, context } = encoding
  const writing = { ...encoding, facts: factsOf(encoding, { ...notPaged, total }) }
  const frame = many ? serializer.list(model, writing.facts) : serializer.one(model, writing.facts)
  const chunks = linkageChunks(writing, frame, ids)
  if (selection.include !== undefined) {
    const written = await wholeOrStreamed(encoding, chunks, undefined)
    if (written.kind !== 'stream') return conditional(encoding, 200, {}, linkageTag(owner, written), () => written)
    const headers = headersOf(encoding, { 'content-type': typeOf(encoding), etag: soleLinkageTag(owner) })
    return { status: 200, headers, body: await writtenBody(encoding, written.chunks) }
  }
  // The identifiers, and what was asked for, are all that the document is made of.
  const isVersioned = whole && owner.hash !== null
  const etag = isVersioned
    ? `"${linkageVersion(owner, ids)}"`
    : linkageTag(owner, { kind: 'text', text: [context.request.query, ...ids].join('\n') })
  const body = ids.length > identifiersAtOnce ? streamBody(encoding, chunks) : textBody(await joined(chunks))
  return conditional(encoding, 200, {}, etag, () => body)
}

async function joined(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of chunks) text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
  return text
}
