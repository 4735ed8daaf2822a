import { createHash } from 'node:crypto'
import {
  type AnyModel,
  audio,
  type BlobStore,
  createRouter,
  field,
  file,
  hash,
  image,
  list,
  type Middleware,
  model,
  type Policy,
  type Router,
  type RouterOptions,
  type Store,
  struct,
  toMany,
  toOne,
} from 'resourcery'
import { jsonApi } from 'resourcery/json-api'
import { memory, memoryBlobs } from 'resourcery/memory'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
import { type ResponseError, resolve } from './client.ts'

/**
 * A gallery has paintings; a painting has binary resources of every type, in itself and inside its
 * values.
 */
export const Gallery = model('gallery', {
  name: z.string(),
  paintings: toMany('painting', { inverse: 'gallery' }),
})

export const Painting = model('painting', {
  title: z.string(),
  photo: image({ maxBytes: 100_000, description: 'As it hangs' }),
  guide: audio({ wire: 'audioGuide' }),
  papers: file({ maxBytes: 1_000_000 }),
  notes: file({ types: ['text/plain', 'application/pdf', 'image/svg+xml', 'text/html'] }),
  secret: file({ hidden: true }),
  stamp: image({ readOnly: true }),
  views: list(struct({ caption: z.string().min(1), scan: image() })),
  frame: field(struct({ wood: z.string().optional(), photo: image() }, { optional: true }), {
    wire: 'border',
  }),
  gallery: toOne('gallery', { optional: true, onDelete: 'cascade' }),
  hash: hash(),
})

export const galleryModels: readonly AnyModel[] = [Gallery, Painting]

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A PNG with this many bytes, at least 74; different for each number. */
export function png(number = 0, size = 200): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size).fill(number % 251)
  bytes.set(onePixel)
  new DataView(bytes.buffer).setUint32(onePixel.length, number)
  return bytes
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

interface ResourceResponse {
  readonly status: number
  readonly headers: Headers
  readonly bytes: Buffer
  readonly etag: string
  readonly errors: readonly ResponseError[]
  /** The value at a JSON Pointer in the body; undefined when there is none. */
  at(pointer: string): unknown
}

export type HeaderFields = Readonly<Record<string, string>>
export type PolicyName = 'REST' | 'JSON:API'

/** The facts about a resource in an item, whatever the policy. */
interface ResourceFacts {
  readonly href: string
  readonly contentType: string
  readonly size: number
  readonly hash: string
  readonly fileName: string | null
}

export interface GalleryService {
  readonly router: Router
  readonly blobs: BlobStore
  send(
    method: string,
    path: string,
    headers?: HeaderFields,
    body?: RequestInit['body'],
  ): Promise<ResourceResponse>
  get(path: string, headers?: HeaderFields): Promise<ResourceResponse>
  /** Sends bytes, as a PNG by default. */
  post(
    path: string,
    bytes: Uint8Array<ArrayBuffer> | string,
    headers?: HeaderFields,
  ): Promise<ResourceResponse>
  /**
   * Sends an item in the format of the policy: `values` are attributes, or all members under REST.
   */
  write(
    method: 'POST' | 'PATCH' | 'PUT',
    id: string,
    values: Readonly<Record<string, unknown>>,
  ): Promise<ResourceResponse>
  /** The facts about a resource in a response with one item; `path` leads to one inside a value. */
  resourceIn(response: ResourceResponse, path: string): ResourceFacts | null | undefined
  /** The keys of all blobs, including unfinished uploads. */
  keys(): Promise<readonly string[]>
}

export const policies = [
  { policy: 'REST', make: rest },
  { policy: 'JSON:API', make: jsonApi },
] as const satisfies readonly { policy: PolicyName; make: () => Policy }[]

type Options = Omit<RouterOptions, 'policy' | 'store' | 'basePath'> & {
  readonly middleware?: Middleware
}

/** A service at `/api` with the paintings p-1, which lists two views, and p-2. */
export async function galleryService(
  policy: PolicyName,
  store: Store = memory(),
  { middleware, ...options }: Options = {},
): Promise<GalleryService> {
  const blobs = options.blobs ?? memoryBlobs()
  const { make } = policies.find((entry) => entry.policy === policy)!
  const router = createRouter({ policy: make(), store, basePath: '/api', ...options, blobs })
  router.prepare(Gallery)
  const paintings = router.prepare(Painting)
  if (middleware) paintings.use(middleware)
  await router.load(Gallery, [{ id: 'g-1', name: 'Uffizi' }])
  const views = [{ caption: 'whole' }, { caption: 'corner' }]
  await router.load(Painting, [
    { id: 'p-1', title: 'Spring', views, frame: { wood: 'oak' }, gallery: 'g-1' },
    { id: 'p-2', title: 'Rain', views: [] },
  ])
  const isRest = policy === 'REST'
  const sendRequest: GalleryService['send'] = async (method, path, headers = {}, body) =>
    gotOf(
      await router.handle(
        new Request(`http://localhost${path}`, {
          method,
          headers,
          ...(body !== undefined && { body, duplex: 'half' }),
        }),
      ),
    )
  const write: GalleryService['write'] = (method, id, values) => {
    const path = method === 'POST' ? '/api/paintings' : `/api/paintings/${id}`
    const body = isRest
      ? { painting: { id, ...values } }
      : { data: { type: 'paintings', id, attributes: values } }
    const type = isRest ? 'application/json' : 'application/vnd.api+json'
    return sendRequest(method, path, { 'content-type': type }, JSON.stringify(body))
  }
  return {
    router,
    blobs,
    send: sendRequest,
    write,
    get: (path, headers) => sendRequest('GET', path, headers),
    post: (path, bytes, headers) =>
      sendRequest('POST', path, { 'content-type': 'image/png', ...headers }, bytes),
    resourceIn: (response, path) => {
      if (isRest) return response.at(`/painting/${path}`) as ResourceFacts | null | undefined
      if (path.includes('/'))
        return response.at(`/data/attributes/${path}`) as ResourceFacts | null | undefined
      const link = response.at(`/data/links/${path}`) as
        | { href: string; meta: Omit<ResourceFacts, 'href'> }
        | null
        | undefined
      return link && { href: link.href, ...link.meta }
    },
    keys: async () => {
      const keys: string[] = []
      for await (const { key } of blobs.list()) keys.push(key)
      return keys.sort()
    },
  }
}

async function gotOf(response: Response): Promise<ResourceResponse> {
  const bytes = Buffer.from(await response.arrayBuffer())
  const { status, headers } = response
  const body: unknown =
    /json/.test(headers.get('content-type') ?? '') && bytes.length > 0 ? JSON.parse(`${bytes}`) : {}
  const at = (pointer: string) => resolve(body, pointer)
  return {
    status,
    headers,
    bytes,
    etag: headers.get('etag') ?? '',
    at,
    errors: ((at('/errors') ?? []) as readonly ResponseError[]).map((error) => ({
      ...error,
      status: Number(error.status),
    })),
  }
}

/** A form of one part with the boundary `x`. */
export function form(
  name: string,
  bytes: Uint8Array,
  fileName: string,
  contentType: string,
): Buffer<ArrayBuffer> {
  const head = `--x\r\nContent-Disposition: form-data; name="${name}"; filename="${fileName}"\r\nContent-Type: ${contentType}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--x--\r\n')])
}
