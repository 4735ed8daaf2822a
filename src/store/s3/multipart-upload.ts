import { BlobGone } from '../blob-store.ts'
import type { S3Client, S3Response } from './s3-client.ts'
import { element, escapeXml } from './s3-xml.ts'

/** An object that is uploaded in parts. One part is on its way while the next is made. */
export interface MultipartUpload {
  hasStarted(): boolean
  add(part: Uint8Array<ArrayBuffer>): Promise<void>
  complete(): Promise<void>
  /** Drops the parts that were uploaded. What cannot be dropped now is listed by the server. */
  abort(): Promise<void>
}

export function multipartUpload(s3: S3Client, key: string): MultipartUpload {
  let uploadId: string | undefined
  let sending: Promise<string> | undefined
  const tags: string[] = []

  const begin = async (): Promise<string> => {
    const { text } = await s3.send({ method: 'POST', key, query: { uploads: '' } })
    const found = element(text, 'UploadId')
    if (found === undefined) throw new Error('The S3 server began an upload without an id.')
    return found
  }

  const send = async (
    part: Uint8Array<ArrayBuffer>,
    id: string,
    number: number,
  ): Promise<string> => {
    const query = { partNumber: String(number), uploadId: id }
    const { headers } = requireUpload(
      await s3.send({ method: 'PUT', key, query, body: part, allowNotFound: true }),
      key,
    )
    return headers.get('etag') ?? ''
  }

  const arrived = async (): Promise<void> => {
    if (sending) tags.push(await sending)
    sending = undefined
  }

  return {
    hasStarted: () => uploadId !== undefined,
    async add(part) {
      uploadId ??= await begin()
      await arrived()
      sending = send(part, uploadId, tags.length + 1)
      sending.catch(() => {})
    },
    async complete() {
      await arrived()
      const parts = tags.map(
        (tag, index) =>
          `<Part><PartNumber>${index + 1}</PartNumber><ETag>${escapeXml(tag)}</ETag></Part>`,
      )
      const body = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
      const answer = requireUpload(
        await s3.send({
          method: 'POST',
          key,
          query: { uploadId: uploadId! },
          body,
          allowNotFound: true,
        }),
        key,
      )
      // The server answers 200 before it knows, and tells in the body.
      if (answer.errorCode !== undefined)
        throw new Error(`The S3 server could not join the parts: ${answer.errorCode}.`)
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

/** The upload is unknown when it was aborted meanwhile. */
function requireUpload(answer: S3Response, key: string): S3Response {
  if (answer.status === 404) throw new BlobGone(key.slice(-36))
  return answer
}
