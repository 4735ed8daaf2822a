import { type ErrorReporter, errorReporter } from '../adapter/error-reporter.ts'
import { fetchResponse } from '../adapter/fetch.ts'
import { lazy } from '../cache/lazy.ts'
import { lruCache } from '../cache/lru-cache.ts'
import type { Context } from '../context/context.ts'
import type { DocsPage } from '../docs/docs-page.ts'
import { createDocsPages, refuseDocsPathConflict } from '../docs/docs-pages.ts'
import { documentPath } from '../docs/document-page.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import { crossSiteGuard } from '../http/cross-site-guard.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { checkOptions } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { toOpenApi } from '../openapi/to-open-api.ts'
import { imageVariants } from '../operation/resource/image-variants.ts'
import { renderVariant } from '../operation/resource/render-variant.ts'
import { encodeError } from '../pipeline/encode-error.ts'
import { pipeline } from '../pipeline/pipeline.ts'
import { requestRouter } from '../pipeline/request-router.ts'
import { createCursorCodec } from '../query/cursor-codec.ts'
import { createQuery } from '../query/query.ts'
import { resolveRouterLimits } from '../rule/router-limits.ts'
import { withItemSizeLimit } from '../store/item-size-limit.ts'
import { openingQuerySource } from '../store/query-source.ts'
import { type AssembledRouter, assemble } from './assemble.ts'
import { resolveBaseUrl, validateBasePath } from './base-address.ts'
import { checkRequiredOptions, validateSecret } from './check-required-options.ts'
import { findPreparedModel, type LoadedItem, loadItems } from './load-items.ts'
import { loadResource } from './load-resource.ts'
import { createPreparedRouter } from './prepared-router.ts'
import { checkModel, type Registration, type RouterSettings } from './registration.ts'
import type { Router } from './router.ts'
import { type RouterOptions, routerOptions } from './router-options.ts'
import { createRouterStorage } from './router-storage.ts'
import { registerSharedModels } from './shared-models.ts'
import { validateTrustedOrigins } from './trusted-origins.ts'

type RequestHandler = (request: ApiRequest) => Promise<ApiResponse>

/**
 * Creates a router. Prepare models on it, then serve it.
 *
 * ```ts
 * const router = createRouter({ policy: rest(), basePath: '/api', store: sqlite('books.db') })
 * router.prepare(Book)
 * const response = await router.handle(new Request('http://localhost/api/books'))
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function createRouter(options: RouterOptions): Router {
  // A misspelled option is named before the option that is missing because of it.
  checkOptions('createRouter()', options, routerOptions)
  checkRequiredOptions(options)
  const { policy } = options
  const basePath = validateBasePath(options.basePath ?? '')
  if (typeof options.baseUrl === 'string') resolveBaseUrl(options.baseUrl)
  const report: ErrorReporter<[Context | undefined]> = errorReporter(options.onError)
  const { blobGraceMs = 3_600_000 } = options
  const storage = createRouterStorage({
    store: options.store,
    blobs: options.blobs,
    graceMs: blobGraceMs,
    onError: (error) => report(error, undefined),
  })
  const limits = resolveRouterLimits(options.limits)
  const { blobs } = storage
  const store = withItemSizeLimit(storage.store, limits.maxItemBytes)
  const baseUrl = lazy(() => resolveBaseUrl(options.baseUrl))
  const variants = blobs && imageVariants(store, blobs, renderVariant)
  const settings: RouterSettings = {
    store,
    blobs,
    variants,
    limits,
    cursorCodec: createCursorCodec(validateSecret('cursorSecret', options.cursorSecret)),
    serializedItems: lruCache(cacheBytes, cachedSizeOf),
    itemDocuments: lruCache(cacheBytes, ({ bytes }) => cachedSizeOf(bytes)),
    basePath,
    baseUrl,
    refuseCrossSite: crossSiteGuard(validateTrustedOrigins(options.trustedOrigins), baseUrl),
    urlPrefix: lazy(() => baseUrl() + basePath),
    requireMatch: options.requireMatch ?? false,
    documentPath: options.docs ? documentPath : undefined,
    actionTimeoutMs: options.actionTimeoutMs ?? 30_000,
    validationTimeoutMs: options.validationTimeoutMs ?? 10_000,
    onError: report,
  }
  const { info } = options
  const middleware: Middleware[] = []
  const registrations: Registration[] = []
  let assembled: AssembledRouter | undefined
  let isFrozen = false
  let release = (): void => undefined
  let opening: Promise<RequestHandler> | undefined
  let handler: RequestHandler | undefined

  const beforeChange = (): void => {
    if (isFrozen)
      throw new RegistrationError(
        'The router has already handled a request. Register everything before the first one.',
      )
    assembled = undefined
  }
  const assembly = (): AssembledRouter => {
    assembled ??= assemble(policy, settings, middleware, registrations)
    return assembled
  }
  const pages = (): readonly DocsPage[] => {
    if (!options.docs) return []
    refuseDocsPathConflict(router.rules)
    return createDocsPages(() => router.toOpenApi(), info?.title ?? 'API')
  }
  const freeze = async (): Promise<RequestHandler> => {
    const { models, endpoints, services } = assembly()
    isFrozen = true
    release()
    release = registerSharedModels(options.store, models)
    await storage.open(models)
    handler = pipeline(services, requestRouter(basePath, endpoints, pages()), policy.serializer)
    return handler
  }
  const open = async (): Promise<RequestHandler> => {
    opening ??= freeze()
    try {
      return await opening
    } catch (error) {
      // The next request opens the store again.
      opening = undefined
      throw error
    }
  }
  const openAndHandle: RequestHandler = async (request) => {
    try {
      return await (await open())(request)
    } catch (error) {
      return encodeError(error, policy.serializer, undefined, settings)
    }
  }
  const router: Router = {
    basePath,
    prepare: (model) => {
      beforeChange()
      checkModel(registrations, model)
      const registration: Registration = { model, middleware: [], mappers: [], operations: [] }
      registrations.push(registration)
      return createPreparedRouter(registration, beforeChange)
    },
    use: (added) => {
      beforeChange()
      middleware.push(added)
      return router
    },
    get rules() {
      return Object.freeze(assembly().endpoints.map((endpoint) => endpoint.rule))
    },
    toOpenApi: (openApiOptions = {}) =>
      toOpenApi(router.rules, {
        servers: [{ url: basePath || '/' }],
        ...(info && { info }),
        ...openApiOptions,
      }),
    respond: (request) => (handler ? handler(request) : openAndHandle(request)),
    load: async (model, items) => {
      await router.open()
      return loadItems(
        store,
        findPreparedModel(assembly().models, model),
        items as Iterable<LoadedItem>,
      )
    },
    loadResource: async (model, location, content) => {
      await router.open()
      if (!blobs)
        throw new RegistrationError(
          'The router has no blob store. Set one: createRouter({ blobs, … }).',
        )
      return loadResource(
        store,
        blobs,
        findPreparedModel(assembly().models, model),
        location,
        content,
      )
    },
    sweep: async (graceMs = blobGraceMs) => {
      await router.open()
      return storage.sweepBlobs(graceMs)
    },
    query: (model) =>
      createQuery(
        openingQuerySource(() => router.open(), store, findPreparedModel(assembly().models, model)),
      ),
    ...(options.onError && { onError: (error: unknown) => report(error, undefined) }),
    // Reports errors while the response is sent; the pipeline reports all others.
    handle: (request) => fetchResponse(router, request, (error) => report(error, undefined)),
    open: async () => {
      await open()
    },
    close: async () => {
      release()
      await variants?.close()
      await storage.close()
    },
  }
  return router
}

/** The size of each of the two caches: serialized items and serialized documents. */
const cacheBytes = 16 * 1024 * 1024

/** The bytes of an entry, with an estimate of the overhead. */
const cachedSizeOf = (text: Uint8Array): number => text.byteLength + 256
