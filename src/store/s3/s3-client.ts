import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../store-failures.ts'
import { element } from './s3-xml.ts'

export interface S3Credentials {
  /** The public part of the key. */
  readonly accessKeyId: string
  /** Signs the requests, and is never sent. */
  readonly secretAccessKey: string
  /** The token of temporary credentials. Default: none. */
  readonly sessionToken?: string
}

export interface S3ClientOptions {
  /** The URL of the bucket, without a slash at its end. */
  readonly bucketUrl: string
  readonly region: string
  credentials(): Promise<S3Credentials>
  /** How long the server may send nothing. */
  readonly timeoutMs: number
}

interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Undefined for the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  /** Return a 404 response instead of throwing an error. */
  readonly allowNotFound?: boolean
}

export interface S3Response {
  readonly status: number
  /** The error code in the body, such as `NoSuchKey`. */
  readonly errorCode: string | undefined
  readonly headers: Headers
  /** The whole body. */
  readonly text: string
}

export interface S3Client {
  /** Returns a successful response, or 404 if it is allowed; throws for any other status. */
  send(request: S3Request): Promise<S3Response>
  /**
   * Streams the bytes of an object from `start` up to, but not including, `end`; undefined if there
   * is no such object. The reader may pause.
   */
  get(key: string, start: number, end: number): Promise<AsyncIterable<Uint8Array> | undefined>
}

const maxAttempts = 3

/**
 * Signs and sends requests. It retries after network errors, 429 and 5xx, and gives up if the
 * server sends nothing.
 */
export async function s3Client(options: S3ClientOptions): Promise<S3Client> {
  const { AwsClient } = await import('aws4fetch').catch((cause) => {
    throw new Error("s3Blobs() needs the package 'aws4fetch'. Run 'npm install aws4fetch'.", {
      cause,
    })
  })
  const signingKeys = new Map<string, ArrayBuffer>()

  const sign = async ({
    method,
    key,
    query = {},
    headers = {},
    body,
  }: S3Request): Promise<Request> => {
    const url = new URL(key === undefined ? `${options.bucketUrl}/` : `${options.bucketUrl}/${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    // The server checks the hash. `crypto.subtle` computes it off the event loop.
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', bytes ?? new Uint8Array()))
    const aws = new AwsClient({
      ...(await options.credentials()),
      service: 's3',
      region: options.region,
      cache: signingKeys,
    })
    return aws.sign(url, {
      method,
      headers: { ...headers, 'x-amz-content-sha256': hash.toString('hex') },
      ...(bytes && { body: bytes }),
    })
  }

  /** Settles when the headers of the response have arrived. */
  const fetchOnce = async (request: S3Request, abort: AbortController): Promise<Response> =>
    withSilenceTimeout(options.timeoutMs, abort, async () =>
      fetch(await sign(request), { signal: abort.signal }),
    )

  const fetchWithRetries = async (
    request: S3Request,
    abort: AbortController,
  ): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const response = await fetchOnce(request, abort).catch((error: unknown) => {
        if (error instanceof StoreUnavailable || attempt === maxAttempts)
          throw toStoreUnavailable(error)
        return undefined
      })
      const isTemporary = response && isTemporaryStatus(response.status)
      if (response && (!isTemporary || attempt === maxAttempts)) return response
      await response?.body?.cancel()
      await wait(100 * 2 ** attempt * (0.5 + Math.random()))
    }
  }

  const textOf = (response: Response, abort: AbortController): Promise<string> =>
    withSilenceTimeout(options.timeoutMs, abort, () => response.text()).catch((error) => {
      throw toStoreUnavailable(error)
    })

  const requestFailed = ({ method, key }: S3Request, status: number, text: string): Error => {
    const outcome =
      `${method} ${key ?? 'of the bucket'} returned ${status} ${element(text, 'Code') ?? ''}`.trim()
    if (isTemporaryStatus(status))
      return new StoreUnavailable(`The S3 server is unavailable: ${outcome}.`)
    return new Error(`S3 request failed: ${outcome}. ${element(text, 'Message') ?? ''}`.trim())
  }

  return {
    async send(request) {
      const abort = new AbortController()
      const response = await fetchWithRetries(request, abort)
      const text = await textOf(response, abort)
      if (!response.ok && !(response.status === 404 && request.allowNotFound))
        throw requestFailed(request, response.status, text)
      return {
        status: response.status,
        headers: response.headers,
        text,
        errorCode: element(text, 'Code'),
      }
    },
    async get(key, start, end) {
      const abort = new AbortController()
      const request: S3Request = {
        method: 'GET',
        key,
        headers: { range: `bytes=${start}-${end - 1}` },
      }
      const response = await fetchWithRetries(request, abort)
      const { status, body } = response
      if (body && response.ok) {
        // A server may send more than the range, or the whole object, and then says so (RFC 9110
        // §14.2).
        const first = Number(
          /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? 0,
        )
        return sliceStream(chunksOf(body, options.timeoutMs, abort), start - first, end - first)
      }
      const text = await textOf(response, abort)
      if (status === 404) return undefined
      throw requestFailed(request, status, text)
    },
  }
}

function isTemporaryStatus(status: number): boolean {
  return status >= 500 || status === 429
}

async function* chunksOf(
  body: ReadableStream<Uint8Array>,
  timeoutMs: number,
  abort: AbortController,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  try {
    for (;;) {
      const next = await withSilenceTimeout(timeoutMs, abort, () => reader.read()).catch(
        (error) => {
          throw toStoreUnavailable(error)
        },
      )
      if (next.done) return
      yield next.value
    }
  } finally {
    // Closes the connection of a reader that stops early; at the end of the body it does nothing.
    abort.abort()
  }
}

/** The bytes from `start` to `end` of a stream, all of which have to arrive. */
async function* sliceStream(
  chunks: AsyncIterable<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  let offset = 0
  for await (const chunk of chunks) {
    const slice = chunk.subarray(Math.max(0, start - offset), Math.max(0, end - offset))
    offset += chunk.length
    if (slice.length > 0) yield slice
    if (offset >= end) return
  }
  throw new StoreUnavailable(`The S3 server sent ${offset} of ${end} bytes.`)
}

/** Waits for one step of the exchange, and aborts the exchange if it takes too long. */
async function withSilenceTimeout<T>(
  timeoutMs: number,
  abort: AbortController,
  step: () => Promise<T>,
): Promise<T> {
  const timeout = new StoreUnavailable(`The S3 server sent nothing for ${timeoutMs} ms.`)
  const timer = setTimeout(() => abort.abort(timeout), timeoutMs)
  try {
    return await step()
  } finally {
    clearTimeout(timer)
  }
}

function toStoreUnavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? `${message}, ${cause.message}` : message
  return new StoreUnavailable(`The S3 server is unavailable: ${reason}.`, { cause: error })
}
