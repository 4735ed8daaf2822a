import { ClientError, OutdatedItemError } from './client-error.ts'
import type { Format, Item, ReceivedDocument } from './format.ts'
import { tagOf } from './item-tag.ts'
import type { Manifest } from './manifest.ts'
import { type AnyQuery, queryText } from './query-text.ts'
import { readError } from './read-error.ts'
import { readItems } from './read-items.ts'
import type { Outgoing, Send } from './sender.ts'

/** An item, which brings its version, or an id, which does not. */
export type Target = string | { readonly id: string }

/** What the calls about one model share. */
export interface ModelRequests {
  readonly manifest: Manifest
  readonly format: Format
  readonly plural: string
  readonly send: Send
}

/** Servers and proxies refuse longer addresses; the body of QUERY has more room. */
const maxAddressLength = 6_000

/** @throws ClientError for a response that is no success */
export async function request(
  { format, plural, send }: ModelRequests,
  outgoing: Outgoing,
  pointerInto: (pointer: string) => string = (pointer) => format.pointerInto(pointer, plural),
): Promise<Response> {
  const { body } = outgoing
  const response = await send({
    ...outgoing,
    headers: {
      accept: format.mediaType,
      ...(typeof body === 'string' && { 'content-type': format.mediaType }),
      ...outgoing.headers,
    },
  })
  if (response.ok) return response
  throw await readError(response, pointerInto)
}

/** A GET of something that has a query, or QUERY where the query is too long for an address. */
export function get(
  requests: ModelRequests,
  path: string,
  query: AnyQuery,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { signal } = query
  const address = withQuery(requests, path, query)
  if (address.length <= maxAddressLength)
    return request(requests, { method: 'GET', path: address, headers, signal })
  return request(requests, {
    method: 'QUERY',
    path,
    headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
    body: address.slice(path.length + 1),
    signal,
  })
}

export async function getItem(
  requests: ModelRequests,
  target: Target,
  query: AnyQuery,
): Promise<Item | undefined> {
  return itemOf(requests, await get(requests, pathOf(requests, target), query), query)
}

/**
 * Writes something of one item, and returns the item where the response has it.
 * @throws OutdatedItemError where the item has another version than that which the caller has
 */
export async function write(
  requests: ModelRequests,
  target: Target,
  {
    path,
    method,
    body,
    query = {},
    headers,
  }: {
    readonly path: string
    readonly method: string
    readonly body?: unknown
    readonly query?: AnyQuery
    readonly headers?: Readonly<Record<string, string>>
  },
  pointerInto?: (pointer: string) => string,
): Promise<Response> {
  const { plural } = requests
  const tag = tagOf(target)
  try {
    return await request(
      requests,
      {
        method,
        path: withQuery(requests, path, query),
        headers: { ...(tag !== undefined && { 'if-match': tag }), ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: query.signal,
      },
      pointerInto,
    )
  } catch (error) {
    if (!(error instanceof ClientError && error.status === 412) || tag === undefined) throw error
    // Gone, or hidden from this caller by now.
    const current = await getItem(requests, idOf(target), query).catch(() => undefined)
    throw new OutdatedItemError(error, plural, current)
  }
}

/** The item of a response; undefined where it has none. */
export async function itemOf(
  { manifest, format, plural }: ModelRequests,
  response: Response,
  { include }: AnyQuery,
): Promise<Item | undefined> {
  if (response.status === 204) return undefined
  const document: ReceivedDocument = await response.json()
  const tag = response.headers.get('etag')
  return readItems(manifest, format, plural, document, include, tag)[0]
}

export function idOf(target: Target): string {
  return typeof target === 'string' ? target : target.id
}

/** The path of an item, and of what is below it. */
export function pathOf({ plural }: ModelRequests, target: Target, ...below: string[]): string {
  const id = encodeURIComponent(idOf(target))
  // Such segments lead to other paths.
  if (/^\.{0,2}$/.test(id)) throw Error(`No id: ${id}`)
  return ['', plural, id, ...below].join('/')
}

export function withQuery(
  { manifest, format, plural }: ModelRequests,
  path: string,
  query: AnyQuery,
): string {
  const text = queryText(manifest, format, plural, query)
  return text === '' ? path : `${path}?${text}`
}
