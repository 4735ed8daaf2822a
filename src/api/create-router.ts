import { fetchResponse } from '../adapter/fetch.ts'
import { foreignRequest } from '../adapter/foreign-request.ts'
import { type Authenticate, createAuthenticate } from '../authentication/authenticate.ts'
import { withStartPage } from '../docs/start-page.ts'
import { AuthenticationUnavailable } from '../error/authentication-unavailable.ts'
import type { RequestHandler } from '../feature/feature.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { checkOptions } from '../model/check-options.ts'
import { itemsOnceOpen } from '../model/items/items-once-open.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { checkOwnRoute } from '../openapi/check-own-route.ts'
import { checkOwnPaths, type OwnRoute, shapeOf } from '../openapi/own-routes.ts'
import { authenticationUnavailable, encodeError } from '../pipeline/encode-error.ts'
import { limitedAuthenticate } from '../pipeline/refused-requests.ts'
import { requestRouter } from '../pipeline/request-router.ts'
import { variantPipeline } from '../pipeline/variant-pipeline.ts'
import { createQuery } from '../query/query.ts'
import type { Rule } from '../rule/rule.ts'
import type { OutputOf, Schema } from '../schema/standard-schema.ts'
import { openingQuerySource } from '../store/query-source.ts'
import { StoreUnavailable } from '../store/store-failures.ts'
import { describeAccess } from './access-by-model.ts'
import { type AssembledRouter, assemble } from './assemble.ts'
import { checkRequiredOptions } from './check-required-options.ts'
import { checkStoredValues } from './check-stored-values.ts'
import { varyOf } from './complete-rule.ts'
import { refuseFormerOptions } from './former-options.ts'
import { findPreparedModel, type LoadedItem, loadItems } from './load-items.ts'
import { loadResource } from './load-resource.ts'
import { isUnsafe, ownService } from './own-service.ts'
import { checkServicePaths } from './own-service-paths.ts'
import { createPreparedRouter } from './prepared-router.ts'
import { checkModel, type Registration } from './registration.ts'
import type { Router } from './router.ts'
import { noteContent } from './router-content.ts'
import { routerDocuments } from './router-documents.ts'
import { type RouterOptions, routerOptions } from './router-options.ts'
import { createRouterSettings, defaultBlobGraceMs } from './router-settings.ts'
import type { RouterForGroup } from './router-variants.ts'
import { registerSharedModels } from './shared-models.ts'
import { progressLines } from './start-progress.ts'

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
export function createRouter<S extends Schema = Schema>(
  options: RouterOptions<S>,
): Router<OutputOf<S>> {
  refuseFormerOptions(options)
  // A misspelled option is named before the option that is missing because of it.
  checkOptions('createRouter()', options, routerOptions)
  checkRequiredOptions(options)
  const { info, policy } = options
  const { settings, storage } = createRouterSettings(options)
  const { basePath, store, blobs, variants, features, onError: report } = settings
  const { authentication } = settings
  const keepsRequests = features.some((feature) => feature.keepsRequests)
  const middleware: Middleware[] = []
  const registrations: Registration[] = []
  const ownRoutes: OwnRoute[] = features.flatMap(({ routes = [] }) => routes)
  const paths = features.flatMap((feature) => feature.paths ?? [])
  const servicePaths: string[] = []
  let assembled: AssembledRouter | undefined
  let isFrozen = false
  let release = (): void => undefined
  let checking = new AbortController()
  let checked = Promise.resolve()
  let opening: Promise<RequestHandler> | undefined
  let handler: RequestHandler | undefined
  let authenticate: Authenticate | undefined

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
  /** A transaction can only run once the router is open. */
  const joined = <T>(called: Promise<T>): Promise<T> =>
    handler ? assembly().access.join(called) : called
  const refuseInTransaction = (call: string): void => {
    if (handler) assembly().access.refuseInTransaction(call)
  }
  const storedModels = () => storage.storedModels(assembly().models)
  const rulesOf = ({ endpoints }: RouterForGroup): readonly Rule[] =>
    Object.freeze(endpoints.map((endpoint) => endpoint.rule))
  const documents = routerDocuments(options, settings, ownRoutes)
  const refuseServiceClash = (paths: readonly string[]): void =>
    checkServicePaths(paths, { basePath, rules: router.rules, hasDocs: options.docsPage === true })
  const freeze = async (): Promise<RequestHandler> => {
    const { models, variants: routerVariants, limits } = assembly()
    const refusalLimits = limits.flatMap(({ refusals }) => refusals ?? [])
    checkOwnPaths(ownRoutes, router.rules, basePath)
    refuseServiceClash(servicePaths)
    isFrozen = true
    release()
    release = registerSharedModels(options.store, { models, blobs: options.blobs })
    const onProgress = options.onProgress ?? progressLines({ print: console.error })
    await storage.open(models, {
      onProgress,
      keepsRequests,
      hookTimeoutMs: settings.hookTimeoutMs,
    })
    for (const feature of features) feature.opened?.({ models, rules: router.rules })
    checking = new AbortController()
    // Requests need not wait for it.
    checked = checkStoredValues(options.store, models, {
      signal: checking.signal,
      warn: (message) => process.emitWarning(message, { code: 'RESOURCERY_STORED_VALUES' }),
    }).catch((error: unknown) => {
      // The next start checks again.
      const isOver = checking.signal.aborted || error instanceof StoreUnavailable
      if (!isOver) report(error, undefined)
    })
    authenticate =
      authentication &&
      limitedAuthenticate(
        createAuthenticate(authentication, router.items),
        refusalLimits,
        authentication.hasCredential,
      )
    const [writesOf] = features.flatMap((feature) => feature.writesOf ?? [])
    const handleRule = variantPipeline(
      routerVariants,
      (variant) => ({
        services: variant.services,
        router: requestRouter(
          basePath,
          variant.endpoints,
          documents.pagesOf(variant, assembly(), router.rules),
        ),
        serializer: policy.serializer,
        writesOf,
      }),
      authenticate,
      refusalLimits,
    )
    handler = options.startPage
      ? withStartPage(handleRule, {
          basePath,
          info,
          rules: router.rules,
          hasDocs: options.docsPage === true,
          urlPrefix: settings.urlPrefix,
        })
      : handleRule
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
  const respond = features.reduce<RequestHandler>(
    (inner, feature) => feature.around?.(inner) ?? inner,
    (request) => (handler ? handler(request) : openAndHandle(request)),
  )
  const router: Router<OutputOf<S>> = {
    basePath,
    ...(options.startPage && { hasStartPage: true }),
    prepare: (model) => {
      beforeChange()
      checkModel(registrations, model)
      const registration: Registration = {
        model,
        middleware: [],
        mappers: [],
        operations: [],
        access: undefined,
      }
      registrations.push(registration)
      return createPreparedRouter(registration, beforeChange)
    },
    describeAccess: () => describeAccess(registrations, settings.access),
    use: (added) => {
      beforeChange()
      middleware.push(added as Middleware)
      return router
    },
    get rules() {
      return rulesOf(assembly().variants.whole)
    },
    toOpenApi: (openApiOptions) => documents.documentOf(router.rules, openApiOptions),
    describe: (path, operations) => {
      beforeChange()
      const route: OwnRoute = { path, operations }
      checkOwnRoute(route)
      if (ownRoutes.some((other) => shapeOf(other.path) === shapeOf(path)))
        throw new RegistrationError(`describe('${path}') describes a path twice.`)
      ownRoutes.push(route)
      return router
    },
    authenticate: async (request, { address } = {}) => {
      await open()
      const plain = foreignRequest(request, address)
      if (isUnsafe(plain)) settings.refuseCrossSite(plain)
      try {
        return (await authenticate?.(plain)) as OutputOf<S> | undefined
      } catch (error) {
        if (!(error instanceof AuthenticationUnavailable)) throw error
        report(error, undefined)
        throw authenticationUnavailable(error)
      }
    },
    service: (path, handle, serviceOptions = {}) => {
      if (isFrozen) refuseServiceClash([path])
      const service = ownService(path, handle, serviceOptions, {
        open: async () => {
          await open()
          return { authenticate, limits: assembly().limits }
        },
        refuseCrossSite: settings.refuseCrossSite,
        features,
        vary: varyOf(settings),
        onError: options.onError && ((error) => report(error, undefined)),
        encodeError: (error) => encodeError(error, policy.serializer, undefined, settings),
      })
      servicePaths.push(path)
      return service
    },
    ...(paths.length > 0 && { paths }),
    respond,
    load: async (model, items) => {
      refuseInTransaction('load()')
      await router.open()
      return loadItems(
        store,
        findPreparedModel(assembly().models, model),
        items as Iterable<LoadedItem>,
      )
    },
    loadResource: async (model, location, content) => {
      refuseInTransaction('loadResource()')
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
    sweep: async (graceMs = options.blobGraceMs ?? defaultBlobGraceMs) => {
      await router.open()
      return storage.sweepBlobs(graceMs)
    },
    query: (model) =>
      createQuery(
        openingQuerySource(() => router.open(), store, findPreparedModel(assembly().models, model)),
      ),
    items: (model, itemsOptions) => {
      findPreparedModel(assembly().models, model)
      // The code that is running decides what the items take part in, so an open router does not
      // wait first.
      const openItems = async () => {
        if (!handler) await open()
        return assembly().access.items(model, itemsOptions)
      }
      return itemsOnceOpen<typeof model>(openItems, (call) => joined(openItems().then(call)))
    },
    transaction: (work, itemsOptions) => {
      const begin = async () => {
        if (!handler) await open()
        return assembly().access.transaction(work, itemsOptions)
      }
      return joined(begin())
    },
    ...(options.onError && { onError: (error: unknown) => report(error, undefined) }),
    // Reports errors while the response is sent; the pipeline reports all others.
    handle: (request) => fetchResponse(router, request, (error) => report(error, undefined)),
    open: async () => {
      await open()
    },
    plan: async () => options.store.admin?.plan?.(storedModels(), { keepsRequests }),
    prune: async (pruneOptions) => options.store.admin?.prune?.(storedModels(), pruneOptions),
    close: async () => {
      release()
      checking.abort()
      await checked
      for (const feature of features) await feature.close?.()
      await variants?.close()
      await storage.close()
    },
  }
  noteContent(router, () => ({
    store: options.store,
    blobs: options.blobs,
    keepsRequests,
    models: registrations.map(({ model }) => model),
    storedModels,
  }))
  return router
}
