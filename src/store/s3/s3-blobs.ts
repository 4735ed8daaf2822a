import {
  checkOptions,
  milliseconds,
  type OptionChecks,
  wholeNumber,
} from '../../model/check-options.ts'
import { BlobGone, type BlobStore, type ByteRange, type ListedBlob } from '../blob-store.ts'
import { isBlobKey, makeBlobKey } from '../blobs/blob-key.ts'
import { rechunk } from '../blobs/chunks.ts'
import { StoreUnavailable } from '../store-failures.ts'
import { multipartUpload } from './multipart-upload.ts'
import { type S3Client, type S3Credentials, s3Client } from './s3-client.ts'
import { element, elements } from './s3-xml.ts'

export type { S3Credentials } from './s3-client.ts'

export interface S3BlobsOptions {
  /** The address of the server, without the bucket: `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string
  /** The name of the bucket, which must exist. */
  readonly bucket: string
  /** Default: `us-east-1`. Some servers expect `auto`. */
  readonly region?: string
  /** A function is called before each request, and caches its result itself. */
  readonly credentials: S3Credentials | (() => Promise<S3Credentials>)
  /**
   * The prefix of object names, such as `blobs/`, if the bucket holds other objects too. Default:
   * none.
   */
  readonly prefix?: string
  /** Is the bucket part of the path of a URL, or of the host name? Default: `path`. */
  readonly addressing?: 'path' | 'host'
  /**
   * The size of a part of a large upload, in bytes; two parts are in memory at a time. Default:
   * 8 388 608 (8 MiB). Most servers require at least 5 MiB, and accept at most 10 000 parts.
   */
  readonly partBytes?: number
  /**
   * How long the server may send nothing before it counts as unavailable, in milliseconds. Default:
   * 30 000.
   */
  readonly timeoutMs?: number
}

const deleteConcurrency = 8

/**
 * Blobs as objects in a bucket of an S3 server. Blobs that are larger than a part use a multipart
 * upload, which is aborted if it fails. The sweep deletes uploads that a crash left; a lifecycle
 * rule of the bucket that aborts incomplete multipart uploads does the same. Needs the package
 * `aws4fetch`, which signs the requests.
 *
 * ```ts
 * const blobs = s3Blobs({
 *   endpoint: 'http://127.0.0.1:9000',
 *   bucket: 'bookstore',
 *   credentials: { accessKeyId: 'reader', secretAccessKey: 'a secret' },
 * })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function s3Blobs(options: S3BlobsOptions): BlobStore {
  checkOptions('s3Blobs()', options, blobOptions)
  const { credentials, prefix = '', partBytes = 8_388_608 } = options
  const objectNameOf = (key: string) => prefix + key
  /** The ids of listed uploads, by blob key: only a list returns them. */
  const listedUploads = new Map<string, string>()
  let clientPromise: Promise<S3Client> | undefined

  const client = (): Promise<S3Client> => {
    clientPromise ??= s3Client({
      bucketUrl: bucketUrlOf(options),
      region: options.region ?? 'us-east-1',
      credentials: typeof credentials === 'function' ? credentials : async () => credentials,
      timeoutMs: options.timeoutMs ?? 30_000,
    })
    return clientPromise
  }

  const put = async (
    s3: S3Client,
    key: string,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<void> => {
    const upload = multipartUpload(s3, objectNameOf(key), key)
    try {
      for await (const part of rechunk(bytes, partBytes)) {
        if (part.length === partBytes || upload.hasStarted()) await upload.add(part)
        else return void (await s3.send({ method: 'PUT', key: objectNameOf(key), body: part }))
      }
      if (upload.hasStarted()) await upload.complete()
      else await s3.send({ method: 'PUT', key: objectNameOf(key), body: new Uint8Array() })
    } catch (error) {
      await upload.abort()
      throw error
    }
  }

  const remove = async (s3: S3Client, key: string): Promise<void> => {
    const uploadId = listedUploads.get(key)
    if (uploadId !== undefined) {
      await s3.send({
        method: 'DELETE',
        key: objectNameOf(key),
        query: { uploadId },
        allowNotFound: true,
      })
      listedUploads.delete(key)
    }
    await s3.send({ method: 'DELETE', key: objectNameOf(key), allowNotFound: true })
  }

  async function* chunksOf(s3: S3Client, key: string, size: number, range: ByteRange | undefined) {
    const start = range?.start ?? 0
    const end = Math.min(size, (range?.end ?? size) + 1)
    if (start >= end) return
    const chunks = await s3.get(objectNameOf(key), start, end)
    if (!chunks) throw new BlobGone(key)
    yield* chunks
  }

  async function* listObjects(s3: S3Client): AsyncGenerator<ListedBlob, void> {
    for (let token: string | undefined; ; ) {
      const query = {
        'list-type': '2',
        prefix,
        ...(token !== undefined && { 'continuation-token': token }),
      }
      const { text } = await s3.send({ method: 'GET', query })
      for (const object of elements(text, 'Contents')) {
        const key = keyOf(object, prefix)
        if (key !== undefined)
          yield { key, writtenAt: Date.parse(element(object, 'LastModified') ?? '') }
      }
      token = element(text, 'NextContinuationToken')
      if (element(text, 'IsTruncated') !== 'true' || token === undefined) return
    }
  }

  async function* listUploads(s3: S3Client): AsyncGenerator<ListedBlob, void> {
    for (let marker: Record<string, string> = {}; ; ) {
      const { text } = await s3.send({ method: 'GET', query: { uploads: '', prefix, ...marker } })
      for (const upload of elements(text, 'Upload')) {
        const key = keyOf(upload, prefix)
        const uploadId = element(upload, 'UploadId')
        if (key === undefined || uploadId === undefined) continue
        listedUploads.set(key, uploadId)
        yield { key, writtenAt: Date.parse(element(upload, 'Initiated') ?? '') }
      }
      const [keyMarker, idMarker] = ['NextKeyMarker', 'NextUploadIdMarker'].map((name) =>
        element(text, name),
      )
      if (element(text, 'IsTruncated') !== 'true' || !keyMarker) return
      marker = { 'key-marker': keyMarker, ...(idMarker && { 'upload-id-marker': idMarker }) }
    }
  }

  return {
    async open() {
      const { status } = await (await client()).send({
        method: 'GET',
        query: { 'list-type': '2', 'max-keys': '1' },
        allowNotFound: true,
      })
      if (status === 404)
        throw new Error(`There is no bucket '${options.bucket}' at ${options.endpoint}.`)
    },
    async write(bytes) {
      const s3 = await client()
      const key = makeBlobKey()
      try {
        await put(s3, key, bytes)
        return key
      } catch (error) {
        // The upload may have succeeded although no response arrived. The sweep deletes what cannot
        // be removed now.
        const isUncertain = error instanceof StoreUnavailable || error instanceof BlobGone
        if (isUncertain)
          await s3
            .send({ method: 'DELETE', key: objectNameOf(key), allowNotFound: true })
            .catch(() => {})
        throw error
      }
    },
    async read(key, range) {
      if (!isBlobKey(key)) return undefined
      const s3 = await client()
      const { status, headers } = await s3.send({
        method: 'HEAD',
        key: objectNameOf(key),
        allowNotFound: true,
      })
      return status === 404
        ? undefined
        : chunksOf(s3, key, Number(headers.get('content-length')), range)
    },
    async delete(keys) {
      const s3 = await client()
      const pending = new Set(keys.filter(isBlobKey)).values()
      const worker = async () => {
        for (const key of pending) await remove(s3, key)
      }
      await Promise.all(Array.from({ length: deleteConcurrency }, worker))
    },
    async *list() {
      const s3 = await client()
      yield* listObjects(s3)
      // Last, so that an upload that finishes meanwhile is not listed twice.
      yield* listUploads(s3)
    },
    async close() {},
  }
}

function bucketUrlOf({ endpoint, bucket, addressing = 'path' }: S3BlobsOptions): string {
  const { protocol, host, pathname } = new URL(endpoint)
  const path = pathname.replace(/\/+$/, '')
  return addressing === 'path'
    ? `${protocol}//${host}${path}/${bucket}`
    : `${protocol}//${bucket}.${host}${path}`
}

function keyOf(xml: string, prefix: string): string | undefined {
  const name = element(xml, 'Key')
  const key = name?.startsWith(prefix) ? name.slice(prefix.length) : ''
  return isBlobKey(key) ? key : undefined
}

const blobOptions: OptionChecks<S3BlobsOptions> = {
  endpoint: true,
  bucket: true,
  region: true,
  credentials: true,
  prefix: true,
  addressing: ['host', 'path'],
  partBytes: wholeNumber(1),
  timeoutMs: milliseconds,
}
