import { setTimeout as wait } from 'node:timers/promises'
import { StoreUnavailable } from '../store.ts'
import { element } from './s3-xml.ts'

export interface S3Credentials {
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken?: string
}

export interface S3ClientOptions {
  /** The address of the bucket, or of what stands in for it, without a slash at its end. */
  readonly bucketUrl: string
  readonly region: string
  credentials(): Promise<S3Credentials>
  /** How long the server may be silent. */
  readonly timeoutMs: number
}

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE'
  /** Undefined for the bucket itself. */
  readonly key?: string
  readonly query?: Readonly<Record<string, string>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array<ArrayBuffer> | string
  /** Is it an answer, and no error, that there is no such thing? */
  readonly allowNotFound?: boolean
}

export interface S3Response {
  readonly status: number
  /** The code of the error that the server told, such as `NoSuchKey`. */
  readonly errorCode: string | undefined
  readonly headers: Headers
  /** The whole body, of answers that are no objects. */
  readonly text: string
}

export interface S3Client {
  /** Answers of success, and 404 where it may be; anything else is thrown. */
  send(request: S3Request): Promise<S3Response>
  /**
   * The bytes of an object from `start` to before `end`, as they come; undefined when there is no
   * such object. They may be read with pauses.
   */
  get(key: string, start: number, end: number): Promise<AsyncIterable<Uint8Array> | undefined>
}

const maxAttempts = 3

/**
 * Signs, sends, sends again what failed on the way or was refused for a moment, and gives up on a
 * server that is silent.
 */
export async function s3Client(place: S3ClientOptions): Promise<S3Client> {
  const { AwsClient } = await import('aws4fetch').catch((cause) => {
    throw new Error(
      "s3Blobs signs its requests with the package 'aws4fetch': npm install aws4fetch",
      { cause },
    )
  })
  const signingKeys = new Map<string, ArrayBuffer>()

  const signed = async ({
    method,
    key,
    query = {},
    headers = {},
    body,
  }: S3Request): Promise<Request> => {
    const url = new URL(key === undefined ? `${place.bucketUrl}/` : `${place.bucketUrl}/${key}`)
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    // The server then refuses what changed on the way. Hashed away from the event loop.
    const hash = Buffer.from(await crypto.subtle.digest('SHA-256', bytes ?? new Uint8Array()))
    const aws = new AwsClient({
      ...(await place.credentials()),
      service: 's3',
      region: place.region,
      cache: signingKeys,
    })
    return aws.sign(url, {
      method,
      headers: { ...headers, 'x-amz-content-sha256': hash.toString('hex') },
      ...(bytes && { body: bytes }),
    })
  }

  /** Until the head of the answer is there. */
  const once = async (request: S3Request, abort: AbortController): Promise<Response> =>
    withSilenceTimeout(place.timeoutMs, abort, async () =>
      fetch(await signed(request), { signal: abort.signal }),
    )

  const answerTo = async (request: S3Request, abort: AbortController): Promise<Response> => {
    for (let attempt = 1; ; attempt++) {
      const response = await once(request, abort).catch((error: unknown) => {
        if (error instanceof StoreUnavailable || attempt === maxAttempts)
          throw toStoreUnavailable(error)
        return undefined
      })
      const isRefusedForNow = response && (response.status >= 500 || response.status === 429)
      if (response && (!isRefusedForNow || attempt === maxAttempts)) return response
      await response?.body?.cancel()
      await wait(100 * 2 ** attempt * (0.5 + Math.random()))
    }
  }

  const textOf = (response: Response, abort: AbortController): Promise<string> =>
    withSilenceTimeout(place.timeoutMs, abort, () => response.text()).catch((error) => {
      throw toStoreUnavailable(error)
    })

  const refused = ({ method, key }: S3Request, status: number, text: string): Error => {
    const what =
      `${method} ${key ?? 'of the bucket'} was answered ${status} ${element(text, 'Code') ?? ''}`.trim()
    if (status >= 500 || status === 429)
      return new StoreUnavailable(`The S3 server is away for the moment: ${what}.`)
    return new Error(`The S3 server refused: ${what}. ${element(text, 'Message') ?? ''}`.trim())
  }

  return {
    async send(request) {
      const abort = new AbortController()
      const response = await answerTo(request, abort)
      const text = await textOf(response, abort)
      if (!response.ok && !(response.status === 404 && request.allowNotFound))
        throw refused(request, response.status, text)
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
      const response = await answerTo(request, abort)
      const { status, body } = response
      if (body && response.ok) {
        // A server may answer with more than the range, or the whole, as long as it says so (RFC
        // 9110 §14.2).
        const first = Number(
          /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1] ?? 0,
        )
        return sliceStream(chunksOf(body, place.timeoutMs, abort), start - first, end - first)
      }
      const text = await textOf(response, abort)
      if (status === 404) return undefined
      throw refused(request, status, text)
    },
  }
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
    // Whoever leaves early wants the connection closed; after the end this does nothing.
    abort.abort()
  }
}

/** The bytes between two places, which have to come. */
async function* sliceStream(
  chunks: AsyncIterable<Uint8Array>,
  start: number,
  end: number,
): AsyncGenerator<Uint8Array, void> {
  let at = 0
  for await (const chunk of chunks) {
    const wanted = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at))
    at += chunk.length
    if (wanted.length > 0) yield wanted
    if (at >= end) return
  }
  throw new StoreUnavailable(`The S3 server gave ${at} bytes of ${end}.`)
}

/** Waits for one step of the exchange; when it takes too long, the exchange is broken off. */
async function withSilenceTimeout<T>(
  timeoutMs: number,
  abort: AbortController,
  step: () => Promise<T>,
): Promise<T> {
  const late = new StoreUnavailable(`The S3 server was silent for ${timeoutMs} ms.`)
  const timer = setTimeout(() => abort.abort(late), timeoutMs)
  try {
    return await step()
  } finally {
    clearTimeout(timer)
  }
}

function toStoreUnavailable(error: unknown): StoreUnavailable {
  if (error instanceof StoreUnavailable) return error
  const { message, cause } = error as Error
  const why = cause instanceof Error ? `${message}, ${cause.message}` : message
  return new StoreUnavailable(`The S3 server cannot be reached for the moment: ${why}.`, {
    cause: error,
  })
}
