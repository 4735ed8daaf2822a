import { fetchResponse } from '../adapter/fetch.ts'
import { type Report, reporter } from '../adapter/report.ts'
import { generations } from '../cache/generations.ts'
import { once } from '../cache/once.ts'
import type { Context } from '../context/context.ts'
import { docsPages, refuseTakenByRules } from '../docs/docs-pages.ts'
import { documentPath } from '../docs/document-page.ts'
import type { Page } from '../docs/page.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { checkOptions } from '../model/check-options.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { toOpenApi } from '../openapi/to-open-api.ts'
import { imageVariants } from '../operation/image-variants.ts'
import { renderVariant } from '../operation/render-variant.ts'
import { crossSiteGuard } from '../pipeline/cross-site-guard.ts'
import { fail } from '../pipeline/fail.ts'
import { pipeline } from '../pipeline/pipeline.ts'
import { router as routes } from '../pipeline/route.ts'
import { cursors } from '../query/cursor.ts'
import { query } from '../query/query.ts'
import { checkedLimits } from '../rule/limits.ts'
import { withItemLimit } from '../store/item-limit.ts'
import { openedSource } from '../store/query-source.ts'
import { checkedBasePath, checkedBaseUrl } from './base-address.ts'
import { checkedSecret, checkParts } from './check-parts.ts'
import { keeping } from './keeping.ts'
import { describedBy, loadItems } from './load-items.ts'
import { loadResource } from './load-resource.ts'
import { prepared } from './prepared-router.ts'
import { type Assembled, assemble, checkModel, type Given, type Registration } from './registration.ts'
import type { Router } from './router.ts'
import { type RouterOptions, routerOptions } from './router-options.ts'
import { shareForms } from './stored-forms.ts'
import { checkedOrigins } from './trusted-origins.ts'

type Answer = (request: ApiRequest) => Promise<ApiResponse>

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
  checkParts(options)
  checkOptions('createRouter()', options, routerOptions)
  const { policy } = options
  const basePath = checkedBasePath(options.basePath ?? '')
  if (typeof options.baseUrl === 'string') checkedBaseUrl(options.baseUrl)
  const report: Report<[Context | undefined]> = reporter(options.onError)
  const { blobGraceMs = 3_600_000 } = options
  const kept = keeping({
    store: options.store,
    blobs: options.blobs,
    graceMs: blobGraceMs,
    report: (error) => report(error, undefined),
  })
  const limits = checkedLimits(options.limits)
  const { blobs } = kept
  const store = withItemLimit(kept.store, limits.maxItemBytes)
  const baseUrl = once(() => checkedBaseUrl(options.baseUrl))
  const variants = blobs && imageVariants(store, blobs, renderVariant)
  const given: Given = {
    store,
    blobs,
    variants,
    limits,
    cursors: cursors(checkedSecret('cursorSecret', options.cursorSecret)),
    writtenItems: generations(writtenBytes, bytesHeld),
    writtenDocuments: generations(writtenBytes, bytesHeld),
    basePath,
    baseUrl,
    refuseCrossSite: crossSiteGuard(checkedOrigins(options.trustedOrigins), baseUrl),
    base: once(() => baseUrl() + basePath),
    requireMatch: options.requireMatch ?? false,
    describedAt: options.docs ? documentPath : undefined,
    patience: options.actionTimeout ?? 30_000,
    validationTimeoutMs: options.validationTimeoutMs ?? 10_000,
    report,
  }
  const { info } = options
  const shared: Middleware[] = []
  const registrations: Registration[] = []
  let assembled: Assembled | undefined
  let isFrozen = false
  let release = (): void => undefined
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
    release()
    release = shareForms(options.store, models)
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
      return fail(error, policy.serializer, undefined, given)
    }
  }
  const router: Router = {
    basePath,
    prepare: (model) => {
      changing()
      checkModel(registrations, model)
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
    ...(options.onError && { report: (error: unknown) => report(error, undefined) }),
    // What was answered, but cannot be sent; all else was reported where it was met.
    handle: (request) => fetchResponse(router, request, (error) => report(error, undefined)),
    open: async () => {
      await open()
    },
    close: async () => {
      release()
      await variants?.close()
      await kept.close()
    },
  }
  return router
}

/** How many bytes of written items, and of documents, are kept, and as many again of such as were not asked for since. */
const writtenBytes = 16 * 1024 * 1024

/** With what it takes to keep them. */
const bytesHeld = (text: Uint8Array): number => text.byteLength + 256
