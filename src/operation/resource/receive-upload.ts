import type { ErrorCode } from '../../error/catalog.ts'
import type { RequestHeaders } from '../../http/api-request.ts'
import { safeFileName } from '../../http/file-name.ts'
import { parseContentDisposition } from '../../http/headers/content-disposition.ts'
import { parseMediaType } from '../../http/headers/media-type.ts'
import { type FilePart, filePartErrors, readFilePart } from '../../http/upload/file-part.ts'
import {
  fileTooLarge,
  inspectUpload,
  inspectUploadErrors,
} from '../../http/upload/inspect-upload.ts'
import { verifyDigests, verifyDigestsErrors } from '../../http/upload/verify-digests.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { BlobGone } from '../../store/blob-store.ts'
import { StoreUnavailable } from '../../store/store-failures.ts'
import type { ResourceOperationInput } from '../operation-input.ts'

export const receiveUploadErrors: readonly ErrorCode[] = [
  ...filePartErrors,
  ...inspectUploadErrors,
  ...verifyDigestsErrors,
]

/** What a form adds to its file: boundaries and part headers. */
const maxFormOverheadBytes = 65_536

/**
 * Streams the uploaded bytes into the blob store, raw or from a form, and counts, hashes and checks
 * them meanwhile. After a problem, reading stops and nothing is stored.
 * @throws ApiError `body-too-large`, `unsupported-media-type`, `content-mismatch`,
 * `digest-mismatch`, and problems of the form; StoreUnavailable if the upload is gone meanwhile
 */
export async function receiveUpload(input: ResourceOperationInput): Promise<StoredResource> {
  const { maxBytes, types } = input.resourceTarget.path.field
  const { fileName, contentType, bytes } = await uploadedFile(input)
  const upload = inspectUpload(bytes, { contentType, acceptedTypes: types, maxBytes })
  const key = await input.blobs.write(upload.bytes).catch((error: unknown) => {
    // The client may send it again: a sweep of another process took it for one that was given up,
    // or a crash of the server of the blobs has lost its beginning.
    throw error instanceof BlobGone ? new StoreUnavailable(error.message, { cause: error }) : error
  })
  const { sha256, ...metadata } = upload.metadata()
  const storedFileName = fileName === undefined ? undefined : safeFileName(fileName)
  return new StoredResource({ ...metadata, hash: sha256, fileName: storedFileName ?? null }, key)
}

async function uploadedFile({
  context: { request },
  resourceTarget: { path },
}: ResourceOperationInput): Promise<FilePart> {
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

/** An upload that declares too many bytes is refused before it is sent (RFC 9110 §10.1.1). */
function refuseTooLarge(headers: RequestHeaders, limit: number, overhead: number): void {
  if (Number(headers['content-length']) > limit + overhead) throw fileTooLarge(limit)
}
