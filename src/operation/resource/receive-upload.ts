import { refuse } from '../../error/api-error.ts'
import type { RequestHeaders } from '../../http/api-request.ts'
import { safeFileName } from '../../http/file-name.ts'
import { parseContentDisposition } from '../../http/headers/content-disposition.ts'
import { parseMediaType } from '../../http/headers/media-type.ts'
import { type FilePart, readFilePart } from '../../http/upload/file-part.ts'
import { inspectUpload } from '../../http/upload/inspect-upload.ts'
import { verifyDigests } from '../../http/upload/verify-digests.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import type { OperationInput, ResourceOperationInput } from '../operation-input.ts'

/** What a form may add to its file: boundaries and the heads of parts. */
const maxFormOverheadBytes = 65_536

/**
 * Takes the bytes that the request brings into the blob store, as they are or as a form, while they
 * are counted, hashed and judged. When anything is wrong with them, reading stops and nothing is
 * kept.
 * @throws ApiError `body-too-large`, `unsupported-media-type`, `content-mismatch`,
 * `digest-mismatch`, and what is wrong with forms
 */
export async function receiveUpload(
  job: OperationInput & ResourceOperationInput,
): Promise<StoredResource> {
  const { maxBytes, types } = job.resourceTarget.path.field
  const { fileName, contentType, bytes } = await uploadedFile(job)
  const passing = inspectUpload(bytes, { contentType, acceptedTypes: types, maxBytes })
  const key = await job.blobs.write(passing.bytes)
  const { sha256, ...facts } = passing.metadata()
  const name = fileName === undefined ? undefined : safeFileName(fileName)
  return new StoredResource({ ...facts, hash: sha256, fileName: name ?? null }, key)
}

async function uploadedFile({
  context: { request },
  resourceTarget: { path },
}: OperationInput & ResourceOperationInput): Promise<FilePart> {
  const { headers, body } = request
  const contentType = headers['content-type']
  const mediaType = contentType === undefined ? undefined : parseMediaType(contentType)
  const isForm = mediaType?.type === 'multipart/form-data'
  refuseTooLarge(headers, path.field.maxBytes, isForm ? maxFormOverheadBytes : 0)
  const content = verifyDigests(headers, body!.stream())
  if (isForm) return readFilePart(mediaType, content, path.segments.at(-1)!)
  const { fileName } = parseContentDisposition(headers['content-disposition']) ?? {}
  return { fileName, contentType, bytes: content }
}

/** What is declared too large is not even asked for (RFC 9110 §10.1.1). */
function refuseTooLarge(headers: RequestHeaders, limit: number, more: number): void {
  if (Number(headers['content-length']) <= limit + more || headers['content-length'] === undefined)
    return
  throw refuse('body-too-large', `The file may have at most ${limit} bytes.`, undefined, {
    meta: { limit },
  })
}
