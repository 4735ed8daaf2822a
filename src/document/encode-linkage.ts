import type { ApiResponse } from '../http/api-response.ts'
import { linkageVersion } from '../operation/linkage/linkage-version.ts'
import type { OperationResult } from '../operation/operation-input.ts'
import { linkageTag, uniqueLinkageTag } from './item-tags.ts'
import {
  conditionalResponse,
  contentType,
  documentFacts,
  notPaged,
  type ResponseContext,
  responseHeaders,
  startedStreamBody,
  streamBody,
  textBody,
} from './response-context.ts'
import { wholeOrStream } from './whole-or-stream.ts'
import { identifiersPerChunk, writeLinkage } from './write-document.ts'

/** Identifiers carry the version of the item whose relation they are. */
export async function encodeLinkage(
  encoding: ResponseContext,
  {
    ids,
    isToMany,
    total,
    owner,
    isComplete,
  }: Omit<Extract<OperationResult, { kind: 'linkage' }>, 'kind'>,
): Promise<ApiResponse> {
  const { serializer, model, selection, context } = encoding
  const writing = { ...encoding, facts: documentFacts(encoding, { ...notPaged, total }) }
  const frame = isToMany
    ? serializer.listFrame(model, writing.facts)
    : serializer.itemFrame(model, writing.facts)
  const chunks = writeLinkage(writing, frame, ids)
  if (selection.include !== undefined) {
    const written = await wholeOrStream(encoding, chunks, undefined)
    if (written.kind !== 'stream')
      return conditionalResponse(encoding, 200, {}, linkageTag(owner, written), () => written)
    const headers = responseHeaders(encoding, {
      'content-type': contentType(encoding),
      etag: uniqueLinkageTag(owner),
    })
    return { status: 200, headers, body: await startedStreamBody(encoding, written.chunks) }
  }
  // The identifiers, and what was asked for, are all that the document is made of.
  const isVersioned = isComplete && owner.hash !== null
  const etag = isVersioned
    ? `"${linkageVersion(owner, ids)}"`
    : linkageTag(owner, { kind: 'text', text: [context.request.query, ...ids].join('\n') })
  const body =
    ids.length > identifiersPerChunk
      ? streamBody(encoding, chunks)
      : textBody(await joinChunks(chunks))
  return conditionalResponse(encoding, 200, {}, etag, () => body)
}

async function joinChunks(chunks: AsyncIterable<string | Uint8Array>): Promise<string> {
  let text = ''
  for await (const chunk of chunks)
    text += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
  return text
}
