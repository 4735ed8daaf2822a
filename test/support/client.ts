import type { Router } from 'resourcery'

/** One error of an error response. */
export interface ResponseError {
  readonly status: number
  readonly code: string
  readonly title: string
  readonly detail: string
  readonly source?: {
    readonly pointer?: string
    readonly parameter?: string
    readonly header?: string
  }
}

export interface ClientResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The body as JSON; undefined when it is empty. */
  readonly body: unknown
  readonly etag: string
  readonly errors: readonly ResponseError[]
  /** The value at a JSON Pointer; undefined when there is none. */
  at(pointer: string): unknown
  /** The ids of the list under this key. */
  ids(key: string): readonly string[]
  /** The target of the link with this relation in the `Link` header. */
  link(rel: string): string | undefined
}

type HeaderFields = Readonly<Record<string, string>>

/**
 * A client of a router, without a socket. Objects are sent as JSON, strings as they are, both with
 * the client's media type by default.
 */
export interface Client {
  get(path: string, headers?: HeaderFields): Promise<ClientResponse>
  head(path: string, headers?: HeaderFields): Promise<ClientResponse>
  options(path: string): Promise<ClientResponse>
  post(path: string, body?: unknown, headers?: HeaderFields): Promise<ClientResponse>
  patch(path: string, body?: unknown, headers?: HeaderFields): Promise<ClientResponse>
  put(path: string, body?: unknown, headers?: HeaderFields): Promise<ClientResponse>
  delete(path: string, headers?: HeaderFields): Promise<ClientResponse>
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: HeaderFields,
  ): Promise<ClientResponse>
}

export function client(
  router: Pick<Router, 'handle'>,
  origin = 'http://localhost',
  mediaType = 'application/json',
): Client {
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    headers: HeaderFields = {},
  ): Promise<ClientResponse> => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const url = path.startsWith('http') ? path : origin + path
    const typed = text === undefined ? headers : { 'content-type': mediaType, ...headers }
    return responseOf(
      await router.handle(
        new Request(url, { method, headers: typed, ...(text !== undefined && { body: text }) }),
      ),
    )
  }
  return {
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    head: (path, headers) => send('HEAD', path, undefined, headers),
    options: (path) => send('OPTIONS', path),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    delete: (path, headers) => send('DELETE', path, undefined, headers),
  }
}

async function responseOf(response: Response): Promise<ClientResponse> {
  const text = await response.text()
  const body: unknown =
    /json\b/.test(response.headers.get('content-type') ?? '') && text ? JSON.parse(text) : undefined
  const at = (pointer: string) => resolve(body, pointer)
  return {
    status: response.status,
    headers: response.headers,
    text,
    body,
    etag: response.headers.get('etag') ?? '',
    errors: (at('/errors') ?? []) as readonly ResponseError[],
    at,
    ids: (key) => ((at(`/${key}`) ?? []) as readonly { id: string }[]).map((item) => item.id),
    link: (rel) => linksOf(response.headers.get('link') ?? '').get(rel),
  }
}

/** The value at a JSON Pointer (RFC 6901) in the document; undefined when there is none. */
export function resolve(document: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1)
  return steps.reduce<unknown>((value, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    return (value as Record<string, unknown>)[name]
  }, document)
}

/** Targets by relation (RFC 8288). */
function linksOf(header: string): ReadonlyMap<string, string> {
  const links = header.matchAll(/<([^>]*)>\s*;\s*rel="?([^";,]+)"?/g)
  return new Map([...links].map(([, target, rel]) => [rel!, target!]))
}
