import {
  checkOptions,
  milliseconds,
  type OptionChecks,
  wholeNumber,
} from '../../model/check-options.ts'
import { BlobGone, type BlobStore, type ByteRange, type ListedBlob } from '../blob-store.ts'
import { isBlobKey, makeBlobKey } from '../blobs/blob-key.ts'
import { rechunk } from '../blobs/rechunk.ts'
import { StoreUnavailable } from '../store.ts'
import { multipartUpload } from './multipart-upload.ts'
import { type S3Client, type S3Credentials, s3Client } from './s3-client.ts'
import { element, elements } from './s3-xml.ts'

export type { S3Credentials } from './s3-client.ts'

export interface S3BlobsOptions {
  /** The address of the server, without the bucket: `https://s3.eu-central-1.amazonaws.com`. */
  readonly endpoint: string
  readonly bucket: string
  /** `us-east-1` unless given; `auto` for some servers. */
  readonly region?: string
  /** A function is asked before each request, and keeps what it found as long as it is valid. */
  readonly credentials: S3Credentials | (() => Promise<S3Credentials>)
  /** What the names of objects begin with, such as `blobs/`, where the bucket holds others too. */
  readonly prefix?: string
  /** Does the bucket stand in the path of an address (unless given), or in its host name? */
  readonly addressing?: 'path' | 'host'
  /**
   * Bytes of a part of a large upload, of which two are held at a time: 8 MiB. Most servers take no
   * less than 5, and no more than 10 000 parts.
   */
  readonly partBytes?: number
  /** How long the server may be silent before it counts as away: 30 000. */
  readonly timeoutMs?: number
}

const deleteConcurrency = 8

/**
 * Blobs as objects in a bucket of a server that speaks S3. What is larger than a part is uploaded
 * in parts as it arrives; an upload that fails is aborted. What a crash leaves is found by the
 * sweep; a rule of the bucket that aborts incomplete uploads after some days does the same. Signs
 * with `aws4fetch`, which is to be installed beside.
 *
 * ```ts
 * const blobs = s3Blobs({
 *   endpoint: 'http://127.0.0.1:9000',
 *   bucket: 'bookstore',
 *   credentials: { accessKeyId: 'reader', secretAccessKey: 'a secret' },
 * })
 * ```
 */
export function s3Blobs(options: S3BlobsOptions): BlobStore {
  checkOptions('s3Blobs()', options, blobOptions)
  const { credentials, prefix = '', partBytes = 8_388_608 } = options
  const objectOf = (key: string) => prefix + key
  /** Uploads that were listed: nobody but a list tells their keys. */
  const listedUploads = new Map<string, string>()
  let connected: Promise<S3Client> | undefined

  const client = (): Promise<S3Client> => {
    connected ??= s3Client({
      bucketUrl: bucketUrlOf(options),
      region: options.region ?? 'us-east-1',
      credentials: typeof credentials === 'function' ? credentials : async () => credentials,
      timeoutMs: options.timeoutMs ?? 30_000,
    })
    return connected
  }

  const put = async (
    s3: S3Client,
    key: string,
    bytes: AsyncIterable<Uint8Array>,
  ): Promise<void> => {
    const upload = multipartUpload(s3, objectOf(key))
    try {
      for await (const part of rechunk(bytes, partBytes)) {
        if (part.length === partBytes || upload.hasStarted()) await upload.add(part)
        else return void (await s3.send({ method: 'PUT', key: objectOf(key), body: part }))
      }
      if (upload.hasStarted()) await upload.complete()
      else await s3.send({ method: 'PUT', key: objectOf(key), body: new Uint8Array() })
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
        key: objectOf(key),
        query: { uploadId },
        allowNotFound: true,
      })
      listedUploads.delete(key)
    }
    await s3.send({ method: 'DELETE', key: objectOf(key), allowNotFound: true })
  }

  async function* chunksOf(s3: S3Client, key: string, size: number, span: ByteRange | undefined) {
    const start = span?.start ?? 0
    const end = Math.min(size, (span?.end ?? size) + 1)
    if (start >= end) return
    const chunks = await s3.get(objectOf(key), start, end)
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
      for (const one of elements(text, 'Contents')) {
        const key = keyOf(one, prefix)
        if (key !== undefined)
          yield { key, writtenAt: Date.parse(element(one, 'LastModified') ?? '') }
      }
      token = element(text, 'NextContinuationToken')
      if (element(text, 'IsTruncated') !== 'true' || token === undefined) return
    }
  }

  async function* listUploads(s3: S3Client): AsyncGenerator<ListedBlob, void> {
    for (let marker: Record<string, string> = {}; ; ) {
      const { text } = await s3.send({ method: 'GET', query: { uploads: '', prefix, ...marker } })
      for (const one of elements(text, 'Upload')) {
        const key = keyOf(one, prefix)
        const uploadId = element(one, 'UploadId')
        if (key === undefined || uploadId === undefined) continue
        listedUploads.set(key, uploadId)
        yield { key, writtenAt: Date.parse(element(one, 'Initiated') ?? '') }
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
        // An answer that never came may have been a success. What cannot be removed now is listed,
        // and left to the sweep.
        const isUncertain = error instanceof StoreUnavailable || error instanceof BlobGone
        if (isUncertain)
          await s3
            .send({ method: 'DELETE', key: objectOf(key), allowNotFound: true })
            .catch(() => {})
        throw error
      }
    },
    async read(key, span) {
      if (!isBlobKey(key)) return undefined
      const s3 = await client()
      const { status, headers } = await s3.send({
        method: 'HEAD',
        key: objectOf(key),
        allowNotFound: true,
      })
      return status === 404
        ? undefined
        : chunksOf(s3, key, Number(headers.get('content-length')), span)
    },
    async delete(keys) {
      const s3 = await client()
      const left = new Set(keys.filter(isBlobKey)).values()
      const worker = async () => {
        for (const key of left) await remove(s3, key)
      }
      await Promise.all(Array.from({ length: deleteConcurrency }, worker))
    },
    async *list() {
      const s3 = await client()
      yield* listObjects(s3)
      // Last, so that an upload that ends meanwhile is not listed twice.
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
