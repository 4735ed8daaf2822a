import type { Router } from 'resourcery'
import { atomicType } from './atomic.ts'
import { isObject, resolvePointer } from './json.ts'
import { type Exchange, expectLawful } from './lawful.ts'

export const mediaType = 'application/vnd.api+json'

export interface ErrorObject {
  readonly id?: string
  readonly status: string
  readonly code?: string
  readonly title?: string
  readonly detail?: string
  readonly source?: {
    readonly pointer?: string
    readonly parameter?: string
    readonly header?: string
  }
  readonly links?: Readonly<Record<string, unknown>>
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface Identifier {
  readonly type: string
  readonly id: string
  readonly meta?: Readonly<Record<string, unknown>>
}

interface Relationship {
  readonly links?: Readonly<Record<string, unknown>>
  readonly data?: Identifier | readonly Identifier[] | null
  readonly meta?: Readonly<Record<string, unknown>>
}

export interface Resource extends Identifier {
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly relationships?: Readonly<Record<string, Relationship>>
  readonly links?: Readonly<Record<string, unknown>>
}

export interface DocumentResponse {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** The document; undefined when the response has no body. */
  readonly document: unknown
  readonly errors: readonly ErrorObject[]
  /** The primary data, where it is one resource. */
  readonly one: Resource
  /** The primary data, where it is a list. */
  readonly many: readonly Resource[]
  readonly ids: readonly string[]
  /** The results of a batch. */
  readonly results: readonly { readonly data?: Resource }[]
  readonly included: readonly Resource[]
  /** The included resources as `people/9`, sorted. */
  readonly includedNames: readonly string[]
  /** The target of a top-level link, undefined when it is null or absent. */
  link(name: string): string | undefined
  /** The value at a JSON Pointer in the document; undefined when there is none. */
  at(pointer: string): unknown
}

export type HeaderFields = Readonly<Record<string, string>>

/**
 * A JSON:API client of a router, without a socket; every response is checked against the rules for
 * all responses.
 */
export interface Client {
  get(path: string, headers?: HeaderFields): Promise<DocumentResponse>
  head(path: string, headers?: HeaderFields): Promise<DocumentResponse>
  post(path: string, body?: unknown, headers?: HeaderFields): Promise<DocumentResponse>
  patch(path: string, body?: unknown, headers?: HeaderFields): Promise<DocumentResponse>
  put(path: string, body?: unknown, headers?: HeaderFields): Promise<DocumentResponse>
  delete(path: string, body?: unknown, headers?: HeaderFields): Promise<DocumentResponse>
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: HeaderFields,
  ): Promise<DocumentResponse>
  /** Sends operations of the Atomic Operations extension. */
  operate(operations: unknown, headers?: HeaderFields, path?: string): Promise<DocumentResponse>
}

/** Objects are sent as JSON, strings as they are. A header with the value '' is left out. */
export function client(router: Router, origin = 'http://localhost'): Client {
  const send = async (
    method: string,
    path: string,
    body?: unknown,
    ownHeaders: HeaderFields = {},
  ): Promise<DocumentResponse> => {
    const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
    const headers = new Headers({ accept: mediaType })
    if (text !== undefined) headers.set('content-type', mediaType)
    for (const [name, value] of Object.entries(ownHeaders)) {
      if (value === '') headers.delete(name)
      else headers.set(name, value)
    }
    const url = path.startsWith('http') ? path : origin + path
    const response = await router.handle(
      new Request(url, {
        method,
        headers,
        ...(text !== undefined && { body: new TextEncoder().encode(text) }),
      }),
    )
    const exchange: Exchange = {
      method,
      url,
      requestText: text,
      response,
      text: await response.text(),
    }
    expectLawful(exchange)
    return responseOf(exchange)
  }
  return {
    send,
    get: (path, headers) => send('GET', path, undefined, headers),
    head: (path, headers) => send('HEAD', path, undefined, headers),
    post: (path, body, headers) => send('POST', path, body, headers),
    patch: (path, body, headers) => send('PATCH', path, body, headers),
    put: (path, body, headers) => send('PUT', path, body, headers),
    delete: (path, body, headers) => send('DELETE', path, body, headers),
    operate: (operations, headers, path = '/api/operations') =>
      send(
        'POST',
        path,
        { 'atomic:operations': operations },
        { 'content-type': atomicType, accept: atomicType, ...headers },
      ),
  }
}

function responseOf({ response, text }: Exchange): DocumentResponse {
  const document: unknown = text === '' ? undefined : JSON.parse(text)
  const at = (pointer: string) => resolvePointer(document, pointer)
  const many = at('/data')
  const included = (at('/included') ?? []) as readonly Resource[]
  return {
    status: response.status,
    headers: response.headers,
    text,
    document,
    errors: (at('/errors') ?? []) as readonly ErrorObject[],
    one: (many ?? {}) as Resource,
    many: (Array.isArray(many) ? many : []) as readonly Resource[],
    ids: Array.isArray(many) ? (many as readonly Resource[]).map(({ id }) => id) : [],
    results: (at('/atomic:results') ?? []) as DocumentResponse['results'],
    included,
    includedNames: included.map(({ type, id }) => `${type}/${id}`).toSorted(),
    link: (name) => hrefOf(at(`/links/${name}`)),
    at,
  }
}

/** The target of a link, written as a string or as an object. */
export function hrefOf(link: unknown): string | undefined {
  if (typeof link === 'string') return link
  return isObject(link) && typeof link.href === 'string' ? link.href : undefined
}
