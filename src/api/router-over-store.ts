import { fetchResponse } from '../adapter/fetch.ts'
import type { Service } from '../adapter/service.ts'
import type { RequestHandler } from '../feature/feature.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { encodeError } from '../pipeline/encode-error.ts'
import type { RouterPart } from '../pipeline/router-part.ts'
import type { OutputOf, Schema } from '../schema/standard-schema.ts'
import { describeAccess } from './access-by-model.ts'
import { backgroundServicesOf } from './background-services.ts'
import { consumerCalls } from './consumer-calls.ts'
import { dataCalls } from './data-calls.ts'
import { jobCalls } from './job-calls.ts'
import { type Opening, openOnce } from './opening.ts'
import { ownServices } from './own-services.ts'
import { planStore } from './plan-routers.ts'
import { createPreparedRouter } from './prepared-router.ts'
import { Registrations } from './registrations.ts'
import type { Router } from './router.ts'
import { noteContent } from './router-content.ts'
import { routerDependencies } from './router-dependencies.ts'
import { routerDocuments } from './router-documents.ts'
import { noteExtensible, type RouterExtension } from './router-extensions.ts'
import { keptBeside, type RouterParts, routerLifecycle } from './router-lifecycle.ts'
import type { RouterOptions } from './router-options.ts'
import { createRouterSettings } from './router-settings.ts'
import { scanDetector } from './scan-detector.ts'

/** The code of a router that is running and takes part in a transaction. */
export interface RunningCode {
  /** Undefined where there is none. The greatest number of several routers is the innermost one. */
  scopeNumber(): number | undefined
  /** Runs what does not take part in its transaction. */
  runOutside<T>(work: () => T): T
}

/** A router over one store, with what a router over several needs of it. */
export interface RouterOverStore<Caller = unknown> {
  readonly router: Router<Caller>
  readonly parts: RouterParts
  readonly opening: Opening
  readonly code: RunningCode
  encodeError(error: unknown, request: ApiRequest): ApiResponse
}

/**
 * @throws RegistrationError for an invalid value of an option
 */
export function routerOverStore<S extends Schema = Schema>(
  options: RouterOptions<S>,
  part: RouterPart = { kind: 'whole' },
): RouterOverStore<OutputOf<S>> {
  const { settings, storage, consumers, scheduledJobs, deferrals } = createRouterSettings(
    options,
    part,
  )
  const { basePath, features, onError } = settings
  const registrations = new Registrations(options.policy, settings)
  const extensions: RouterExtension[] = []
  const documents = routerDocuments(options, settings, registrations.routes, extensions)
  const parts: RouterParts = {
    options,
    settings,
    storage,
    consumers,
    scheduledJobs,
    deferrals,
    registrations,
    documents,
    extensions,
    part,
  }

  const report = (error: unknown): void => onError(error, undefined)
  const errorOutsideRules = (error: unknown, { trace }: ApiRequest) =>
    encodeError(error, options.policy.serializer, undefined, settings, trace)
  const opening = openOnce(() => lifecycle.open(), errorOutsideRules)
  const services = ownServices<OutputOf<S>>(parts, opening, errorOutsideRules)
  const data = dataCalls(parts, opening)
  const { consume, start, ...consumption } = consumerCalls(parts, opening, data.items)
  const { job, start: startJobs, ...jobs } = jobCalls(parts, opening, data.items)
  const lifecycle = routerLifecycle(parts, data.items, services.checkPaths)

  const paths = features.flatMap((feature) => feature.paths ?? [])
  const respond = features.reduce<RequestHandler>(
    (inner, feature) => feature.around?.(inner) ?? inner,
    opening.handle,
  )
  const storedModels = () => settings.storedModels(registrations.assembled().models)
  const kept = () => keptBeside(settings, registrations.assembled().models)

  const hostFacts: Partial<Service> = Object.assign(
    {},
    ...features.map((feature) => feature.hostFacts),
  )

  const router: Router<OutputOf<S>> = {
    basePath,
    ...hostFacts,
    endStreams() {
      hostFacts.endStreams?.()
      lifecycle.endCheck()
    },
    ...(paths.length > 0 && { paths }),
    ...((options.store.facts?.isProcessLocal || options.blobs?.facts?.isProcessLocal) && {
      isProcessLocal: true,
    }),
    dependencies: routerDependencies(options.store, options.blobs, storedModels),
    prepare: (model) =>
      createPreparedRouter(registrations.addModel(model), registrations.beforeChange),
    use: (middleware) => {
      registrations.addMiddleware(middleware as Middleware)
      return router
    },
    describe: (path, operations) => {
      registrations.addRoute({ path, operations })
      return router
    },
    describeAccess: () => describeAccess(registrations.models, settings.access),
    get rules() {
      return registrations.rules()
    },
    toOpenApi: (openApiOptions) => documents.documentOf(registrations.rules(), openApiOptions),
    ...data,
    ...consumption,
    ...jobs,
    consume: (name, consumerOptions, consumeChanges) => {
      consume(name, consumerOptions, consumeChanges as never)
      return router
    },
    job: (...call) => {
      job(...call)
      return router
    },
    authenticate: services.authenticate,
    service: services.service,
    respond,
    isScan: scanDetector(basePath, () => registrations.rules(), settings.limits),
    // Reports errors while the response is sent; the pipeline reports all others.
    handle: (request) => fetchResponse(router, request, report),
    ...(options.onError && { onError: report }),
    open: async () => {
      await opening.open()
      await start()
      await startJobs()
      for (const extension of extensions) extension.started()
    },
    close: lifecycle.close,
    plan: async () => planStore(options.store, storedModels(), kept()),
    prune: async (pruneOptions) => options.store.admin?.prune?.(storedModels(), pruneOptions),
  }
  noteContent(router, () => ({
    store: options.store,
    blobs: options.blobs,
    kept,
    models: registrations.models.map(({ model }) => model),
    storedModels,
  }))
  const hasLastingCursors = options.security?.cursorSecret !== undefined
  noteExtensible(router, {
    extensions,
    hasLastingCursors,
    rulesFor: (caller) => registrations.assembled().variants.of(caller).rulesFor(caller).rules(),
    consume,
    deferrals,
    urlPrefix: settings.urlPrefix,
    background: () => backgroundServicesOf(parts, data.items),
  })
  return {
    router,
    parts,
    opening,
    code: {
      scopeNumber: () =>
        opening.isOpen() ? registrations.assembled().access.codeScopeNumber() : undefined,
      runOutside: (work) =>
        opening.isOpen() ? registrations.assembled().access.runOutside(work) : work(),
    },
    encodeError: errorOutsideRules,
  }
}
