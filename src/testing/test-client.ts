import type { Rule } from '../rule/rule.ts'

/** What a client sends requests to: a router, or the result of `fetchHandler`. */
export type TestTarget =
  | { handle(request: Request): Promise<Response>; readonly rules?: readonly Rule[] }
  | ((request: Request) => Promise<Response>)

export interface TestClientOptions {
  /** Headers of every request. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
}

export interface TestRequestOptions {
  /** Headers of this request, in addition to those of the client. Default: none. */
  readonly headers?: Readonly<Record<string, string>>
}

/** Sent as JSON, unless `Request` has a form of its own for it. */
export type TestBody = unknown

/** A response, read to its end. */
export interface TestResponse<Body> {
  readonly status: number
  readonly headers: Headers
  /** The parsed JSON; a string or bytes for other media types; undefined without a body. */
  readonly body: Body
}

/** A body whose type the test does not say: every member can be read. */
// biome-ignore lint/suspicious/noExplicitAny: a test fails where such a member is missing
export type UntypedBody = any

/** Sends a request with a body, or without one. */
export type SendBody = <Body = UntypedBody>(
  path: string,
  body?: TestBody,
  options?: TestRequestOptions,
) => Promise<TestResponse<Body>>

/** Sends requests without a socket. Paths are complete: `/api/books`. */
export interface TestClient {
  get<Body = UntypedBody>(path: string, options?: TestRequestOptions): Promise<TestResponse<Body>>
  head(path: string, options?: TestRequestOptions): Promise<TestResponse<undefined>>
  readonly post: SendBody
  readonly patch: SendBody
  readonly put: SendBody
  readonly delete: SendBody
  /** Any other method. */
  send<Body = UntypedBody>(
    method: string,
    path: string,
    body?: TestBody,
    options?: TestRequestOptions,
  ): Promise<TestResponse<Body>>
  /** A client of the same service with further headers. */
  with(headers: Readonly<Record<string, string>>): TestClient
}

/**
 * Creates a client for tests. Bodies are sent in the media type of the router, for example as
 * `application/vnd.api+json` to JSON:API.
 *
 * ```ts
 * const client = testClient(router, { headers: { authorization: 'Bearer ada' } })
 * const { status, body } = await client.post('/api/books', { book: { title: 'Dracula' } })
 * ```
 */
export function testClient(target: TestTarget, options: TestClientOptions = {}): TestClient {
  const send = async <Body>(
    method: string,
    path: string,
    body?: TestBody,
    { headers }: TestRequestOptions = {},
  ): Promise<TestResponse<Body>> => {
    const request = requestOf(target, method, path, body, { ...options.headers, ...headers })
    const response = await (typeof target === 'function' ? target(request) : target.handle(request))
    return {
      status: response.status,
      headers: response.headers,
      body: (await bodyOf(response)) as Body,
    }
  }
  return {
    get: (path, options) => send('GET', path, undefined, options),
    head: (path, options) => send('HEAD', path, undefined, options),
    post: (path, body, options) => send('POST', path, body, options),
    patch: (path, body, options) => send('PATCH', path, body, options),
    put: (path, body, options) => send('PUT', path, body, options),
    delete: (path, body, options) => send('DELETE', path, body, options),
    send,
    with: (headers) => testClient(target, { headers: { ...options.headers, ...headers } }),
  }
}

function requestOf(
  target: TestTarget,
  method: string,
  path: string,
  body: TestBody,
  headerValues: Readonly<Record<string, string>>,
): Request {
  const url = new URL(path, 'http://localhost')
  const headers = new Headers(headerValues)
  if (body === undefined) return new Request(url, { method, headers })
  if (hasOwnForm(body)) return new Request(url, { method, headers, body, duplex: 'half' })
  if (!headers.has('content-type')) headers.set('content-type', jsonMediaTypeOf(target))
  // Bytes, because a string would set a media type of its own.
  const bytes = new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
  return new Request(url, { method, headers, body: bytes })
}

type BodyWithOwnForm = FormData | Blob | URLSearchParams | Uint8Array<ArrayBuffer> | ReadableStream

function hasOwnForm(body: TestBody): body is BodyWithOwnForm {
  return [FormData, Blob, URLSearchParams, Uint8Array, ReadableStream].some(
    (kind) => body instanceof kind,
  )
}

/** The media type of items, which a router has in its rules. */
function jsonMediaTypeOf(target: TestTarget): string {
  const rules = typeof target === 'function' ? undefined : target.rules
  for (const { operation, request } of rules ?? []) {
    const [mediaType] = operation === 'CreateItem' ? request.mediaTypes : []
    if (mediaType) return mediaType
  }
  return 'application/json'
}

async function bodyOf(response: Response): Promise<unknown> {
  const bytes = new Uint8Array(await response.arrayBuffer())
  if (bytes.byteLength === 0) return undefined
  const contentType = response.headers.get('content-type') ?? ''
  if (/^[^;]*[/+]json\s*(?:;|$)/i.test(contentType)) return JSON.parse(textOf(bytes))
  return /^text\/|[/+](?:jsonl|xml|javascript)\b/i.test(contentType) ? textOf(bytes) : bytes
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
