import { BlobGone } from '../blob-store.ts'
import type { S3Client, S3Response } from './s3-client.ts'
import { element, escapeXml } from './s3-xml.ts'

/** A multipart upload. One part is sent while the next one is filled. */
export interface MultipartUpload {
  hasStarted(): boolean
  add(part: Uint8Array<ArrayBuffer>): Promise<void>
  complete(): Promise<void>
  /** Drops the uploaded parts. The server lists the upload if that fails. */
  abort(): Promise<void>
}

/** @param key the name of the object, which ends with the key of the blob */
export function multipartUpload(s3: S3Client, key: string, blobKey: string): MultipartUpload {
  let uploadId: string | undefined
  let sending: Promise<string> | undefined
  const etags: string[] = []

  const create = async (): Promise<string> => {
    const { text } = await s3.send({ method: 'POST', key, query: { uploads: '' } })
    const id = element(text, 'UploadId')
    if (id === undefined) throw new Error('The S3 server returned no upload id.')
    return id
  }

  const send = async (
    part: Uint8Array<ArrayBuffer>,
    id: string,
    number: number,
  ): Promise<string> => {
    const query = { partNumber: String(number), uploadId: id }
    const { headers } = requireUpload(
      await s3.send({ method: 'PUT', key, query, body: part, allowNotFound: true }),
      blobKey,
    )
    return headers.get('etag') ?? ''
  }

  const awaitSending = async (): Promise<void> => {
    if (sending) etags.push(await sending)
    sending = undefined
  }

  return {
    hasStarted: () => uploadId !== undefined,
    async add(part) {
      uploadId ??= await create()
      await awaitSending()
      sending = send(part, uploadId, etags.length + 1)
      sending.catch(() => {})
    },
    async complete() {
      await awaitSending()
      const parts = etags.map(
        (etag, index) =>
          `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`,
      )
      const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
      const { errorCode } = requireUpload(
        await s3.send({
          method: 'POST',
          key,
          query: { uploadId: uploadId! },
          body,
          allowNotFound: true,
        }),
        blobKey,
      )
      // The server responds with 200 before it has finished, and reports errors in the body.
      if (errorCode !== undefined)
        throw new Error(`The S3 server could not complete the multipart upload: ${errorCode}.`)
      uploadId = undefined
    },
    async abort() {
      await sending?.catch(() => {})
      if (uploadId === undefined) return
      await s3
        .send({ method: 'DELETE', key, query: { uploadId }, allowNotFound: true })
        .catch(() => {})
    },
  }
}

/** The server does not know the upload if it was aborted meanwhile. */
function requireUpload(response: S3Response, blobKey: string): S3Response {
  if (response.status === 404) throw new BlobGone(blobKey)
  return response
}
