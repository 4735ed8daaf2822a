import { fetchResponse } from '../adapter/fetch.ts'
import type { Service } from '../adapter/host.ts'
import { generations } from '../cache/generations.ts'
import { once } from '../cache/once.ts'
import type { Context } from '../context/context.ts'
import { docsPages, refuseTakenByRules } from '../docs/docs-pages.ts'
import { documentPath } from '../docs/document-page.ts'
import type { Page } from '../docs/page.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ItemWith } from '../model/item.ts'
import type { AnyModel, ModelClass } from '../model/model.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { BinaryResource } from '../model/stored-resource.ts'
import type { Info, OpenApiDocument } from '../openapi/document.ts'
import type { OpenApiOptions } from '../openapi/options.ts'
import { toOpenApi } from '../openapi/to-open-api.ts'
import { imageVariants } from '../operation/image-variants.ts'
import { renderVariant } from '../operation/render-variant.ts'
import { fail } from '../pipeline/fail.ts'
import { pipeline } from '../pipeline/pipeline.ts'
import { router as routes } from '../pipeline/route.ts'
import type { Policy } from '../policy/policy.ts'
import { cursors } from '../query/cursor.ts'
import type { IQuery } from '../query/iquery.ts'
import { query } from '../query/query.ts'
import { defaultLimits, type Limits } from '../rule/limits.ts'
import type { Rule } from '../rule/rule.ts'
import type { BlobStore } from '../store/blob-store.ts'
import { openedSource } from '../store/query-source.ts'
import type { Store } from '../store/store.ts'
import type { StoredValues } from '../store/stored-item.ts'
import { keeping } from './keeping.ts'
import { describedBy, type LoadedItem, loadItems } from './load-items.ts'
import { type LoadedResource, type LoadPlace, loadResource } from './load-resource.ts'
import { type PreparedRouter, prepared } from './prepared-router.ts'
import { type Assembled, assemble, type Given, type Registration, refuseTwice } from './registration.ts'

export interface RouterOptions {
  /** The protocol, for example `rest()`. */
  readonly policy: Policy
  readonly store: Store
  /**
   * Keeps the bytes of binary resources; needed where models have any. Routers may share it, in one process; no other service may, for blobs
   * that no item of theirs holds are swept away.
   */
  readonly blobs?: BlobStore
  /** How old blobs that no item holds must be to be swept away when the router opens, in milliseconds: longer than any upload takes. 1 h unless given. */
  readonly blobGraceMs?: number
  /** Where the router is mounted, for example `/api`; at the root unless given. */
  readonly basePath?: string
  /**
   * The service's own address, for example `https://books.example`: `Location` and links are absolute with it, else relative to the root.
   * A function is asked once, at the first answer that needs it: for services that know their port only when they listen.
   */
  readonly baseUrl?: string | (() => string)
  /** What one request may ask for; unnamed limits keep their defaults. */
  readonly limits?: Partial<Limits>
  /** Writes to existing items need `If-Match`, else 428. False unless given; models can ask for it one by one. */
  readonly requireMatch?: boolean
  /**
   * How long an action may take, and wait while other actions work on the same item, in milliseconds: 30 000 unless given. Then the first is a
   * fault of the service (500, reported), the second is answered with 429. Actions that never wait are not bound by it.
   */
  readonly actionTimeout?: number
  /** Lets cursors outlive the process and be shared between processes, where they hide what they hold. */
  readonly cursorSecret?: string
  /** What the document says about the service as a whole: its title, its version, its license. */
  readonly info?: Info
  /**
   * Serves the OpenAPI document at `{basePath}/openapi.json`, and at `{basePath}/docs` a page to read and try it, to whoever asks: middleware does
   * not guard them. Nothing on the page comes from elsewhere. False unless given.
   */
  readonly docs?: boolean
  /** Told of faults of the service itself, which callers see as an opaque 5xx. They go to standard error unless given. */
  readonly onError?: (error: unknown, context: Context | undefined) => void
}

type Answer = (request: ApiRequest) => Promise<ApiResponse>

/** A complete HTTP API over the models that are prepared on it. */
export interface Router extends Service {
  /** Registers a model. What it returns takes the model's own middleware and mappers. */
  prepare<M extends AnyModel>(
    model: M,
  ): PreparedRouter<M extends ModelClass<string, infer F> ? ItemWith<F> & InstanceType<M> : InstanceType<M>>
  /** Middleware for every model, before the models' own. */
  use(middleware: Middleware): this
  /** Every rule, frozen: the routing table. @throws RegistrationError when what is registered so far does not hold together. */
  readonly rules: readonly Rule[]
  /**
   * Puts items into the store, past middleware and policy: for seeds and imports. Members go by the model's own names, hidden and read-only
   * ones too; values are validated, identifiers in relations are taken on trust. Items whose id is there already are left as they are.
   * @returns how many were added
   */
  load(model: AnyModel, items: Iterable<LoadedItem>): Promise<number>
  /**
   * Puts a binary resource into an item, past middleware and policy; type and size are held to what the model says.
   *
   * ```ts
   * await router.loadResource(Book, { id: 'dune', place: 'cover' }, { bytes, contentType: 'image/png' })
   * ```
   */
  loadResource(model: AnyModel, place: LoadPlace, loaded: LoadedResource): Promise<BinaryResource>
  /**
   * Deletes the blobs that no item holds, as opening the router does: for services that run for long. Every router of this process that shares the
   * blobs has to be open.
   * @param graceMs younger ones are left; `blobGraceMs` unless given
   * @returns how many were deleted
   */
  sweep(graceMs?: number): Promise<number>
  /**
   * Asks the store past policy and middleware: for jobs and scripts. Items come as they are stored, relations as identifiers.
   *
   * ```ts
   * const howMany = await router.query(Book).where('inStock').equal(true).size()
   * ```
   */
  query(model: AnyModel): IQuery<StoredValues>
  /**
   * The OpenAPI document of every rule, as a plain object. It is made of what is registered so far, and is the same whatever the order of that.
   *
   * ```ts
   * const text = JSON.stringify(router.toOpenApi({ info: { title: 'Bookstore', version: '1' } }))
   * ```
   */
  toOpenApi(options?: OpenApiOptions): OpenApiDocument
  /** Answers a web request, without a socket. */
  handle(request: Request): Promise<Response>
  /** Answers a plain request: what the adapters call. The first one freezes the router. */
  respond(request: ApiRequest): Promise<ApiResponse>
  /** Freezes the router and opens its store, so that a fault shows at the start and not at the first request. */
  open(): Promise<void>
  /** Closes the store, and that of the blobs. */
  close(): Promise<void>
}

/**
 * A router, to prepare models on.
 *
 * ```ts
 * const router = createRouter({ policy: rest(), basePath: '/api', store: sqlite('books.db') })
 * router.prepare(Book)
 * const response = await router.handle(new Request('http://localhost/api/books'))
 * ```
 */
export function createRouter(options: RouterOptions): Router {
  const { policy } = options
  const basePath = checkedBasePath(options.basePath ?? '')
  if (typeof options.baseUrl === 'string') checkedBaseUrl(options.baseUrl)
  const report = options.onError ?? ((error: unknown) => console.error(error))
  const { blobGraceMs = 3_600_000 } = options
  const kept = keeping({
    store: options.store,
    blobs: options.blobs,
    graceMs: blobGraceMs,
    report: (error) => report(error, undefined),
  })
  const { store, blobs } = kept
  const given: Given = {
    store,
    blobs,
    variants: blobs && imageVariants(store, blobs, renderVariant),
    limits: Object.freeze({ ...defaultLimits, ...options.limits }),
    cursors: cursors(options.cursorSecret),
    writtenItems: generations(writtenBytes, bytesHeld),
    writtenDocuments: generations(writtenBytes, bytesHeld),
    basePath,
    base: once(() => checkedBaseUrl(options.baseUrl) + basePath),
    requireMatch: options.requireMatch ?? false,
    describedAt: options.docs ? documentPath : undefined,
    patience: options.actionTimeout ?? 30_000,
    report,
  }
  const { info } = options
  const shared: Middleware[] = []
  const registrations: Registration[] = []
  let assembled: Assembled | undefined
  let isFrozen = false
  let opening: Promise<Answer> | undefined
  let answer: Answer | undefined

  const changing = (): void => {
    if (isFrozen)
      throw new RegistrationError('The router answers requests already; everything is registered before the first one.')
    assembled = undefined
  }
  const assembly = (): Assembled => {
    assembled ??= assemble(policy, given, shared, registrations)
    return assembled
  }
  const pages = (): readonly Page[] => {
    if (!options.docs) return []
    refuseTakenByRules(router.rules)
    return docsPages(() => router.toOpenApi(), info?.title ?? 'API')
  }
  const freeze = async (): Promise<Answer> => {
    const { models, endpoints, parts } = assembly()
    isFrozen = true
    await kept.open(models)
    answer = pipeline(parts, routes(basePath, endpoints, pages()), policy.serializer)
    return answer
  }
  const open = async (): Promise<Answer> => {
    opening ??= freeze()
    try {
      return await opening
    } catch (error) {
      // A store that was away is asked again.
      opening = undefined
      throw error
    }
  }
  const firstAnswer: Answer = async (request) => {
    try {
      return await (await open())(request)
    } catch (error) {
      return fail(error, policy.serializer, undefined, given.report)
    }
  }
  const router: Router = {
    basePath,
    prepare: (model) => {
      changing()
      refuseTwice(registrations, model)
      const registration: Registration = { model, middleware: [], mappers: [], operations: [] }
      registrations.push(registration)
      return prepared(registration, changing)
    },
    use: (middleware) => {
      changing()
      shared.push(middleware)
      return router
    },
    get rules() {
      return Object.freeze(assembly().endpoints.map((endpoint) => endpoint.rule))
    },
    toOpenApi: (own = {}) =>
      toOpenApi(router.rules, { servers: [{ url: basePath || '/' }], ...(info && { info }), ...own }),
    respond: (request) => (answer ? answer(request) : firstAnswer(request)),
    load: async (model, items) => {
      await router.open()
      return loadItems(store, describedBy(assembly().models, model), items)
    },
    loadResource: async (model, place, loaded) => {
      await router.open()
      if (!blobs) throw new RegistrationError('The router keeps no blobs: createRouter({ blobs, … }) says where.')
      return loadResource(store, blobs, describedBy(assembly().models, model), place, loaded)
    },
    sweep: async (graceMs = blobGraceMs) => {
      await router.open()
      return kept.sweep(graceMs)
    },
    query: (model) => query(openedSource(() => router.open(), store, describedBy(assembly().models, model))),
    // Faults are reported where they are known best, which is not the host.
    handle: (request) => fetchResponse(router, request, () => undefined),
    open: async () => {
      await open()
    },
    close: () => kept.close(),
  }
  return router
}

/** How many bytes of written items, and of documents, are kept, and as many again of such as were not asked for since. */
const writtenBytes = 16 * 1024 * 1024

/** With what it takes to keep them. */
const bytesHeld = (text: Uint8Array): number => text.byteLength + 256

function checkedBasePath(basePath: string): string {
  if (/^(?:\/[A-Za-z0-9._~-]+)*$/.test(basePath)) return basePath
  throw new RegistrationError(
    `The basePath '${basePath}' must be empty, or segments that each start with a slash, such as '/api'.`,
  )
}

function checkedBaseUrl(given: RouterOptions['baseUrl']): string {
  const baseUrl = typeof given === 'function' ? given() : given
  if (baseUrl === undefined) return ''
  if (URL.canParse(baseUrl) && /^https?:\/\/[^/?#]+$/.test(baseUrl)) return baseUrl
  throw new RegistrationError(
    `The baseUrl '${baseUrl}' must be an http or https address without a path, such as 'https://books.example'.`,
  )
}
