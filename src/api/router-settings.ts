import { type ErrorReporter, errorReporter } from '../adapter/error-reporter.ts'
import { createAuthentication } from '../authentication/authentication.ts'
import { lazy } from '../cache/lazy.ts'
import type { Clock, Context } from '../context/context.ts'
import { Consumers } from '../feature/consumers/consumers.ts'
import { Deferrals } from '../feature/deferrals/deferrals.ts'
import type { Feature } from '../feature/feature.ts'
import { featuresOf } from '../feature/features.ts'
import { ScheduledJobs } from '../feature/scheduled-jobs/scheduled-jobs.ts'
import { crossSiteGuard, type TrustedOrigins } from '../http/cross-site-guard.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { imageVariants } from '../operation/resource/image-variants.ts'
import { renderVariant } from '../operation/resource/render-variant.ts'
import type { RouterPart } from '../pipeline/router-part.ts'
import { routerSecret, storeSecret } from '../process/process-secret.ts'
import { createChangePositionCodec } from '../query/change-position.ts'
import { createCursorCodec } from '../query/cursor-codec.ts'
import { resolveRouterLimits } from '../rule/router-limits.ts'
import { ItemSizeLimit } from '../store/item-size-limit.ts'
import { rollupObservers, withRollupModel } from '../store/rollups/rollup-observers.ts'
import { resolveBaseUrl, validateBaseUrl } from './base-url.ts'
import { validateSecret } from './check-required-options.ts'
import { documentCaches } from './document-caches.ts'
import type { RouterSettings } from './registration.ts'
import { reportOutdatedProcess } from './report-outdated-process.ts'
import type { RouterOptions } from './router-options.ts'
import { createRouterStorage, type RouterStorage } from './router-storage.ts'
import { securityOf } from './security-options.ts'
import { storeChoice } from './stores-by-caller/store-choice.ts'
import { timeoutsOf } from './timeout-options.ts'
import { validateTrustedOrigins } from './trusted-origins.ts'

export const defaultBlobGraceMs = 3_600_000

/** 64 MiB. */
export const defaultMaxCacheBytes = 67_108_864

/** What the options decide before any model is registered. */
export interface ConfiguredRouter {
  readonly settings: RouterSettings
  readonly storage: RouterStorage
  readonly consumers: Consumers
  readonly scheduledJobs: ScheduledJobs
  readonly deferrals: Deferrals
}

/** @throws RegistrationError for an invalid option */
export function createRouterSettings(options: RouterOptions, part: RouterPart): ConfiguredRouter {
  const security = securityOf(options.security)
  const basePath = validateBasePath(options.basePath ?? '')
  validateBaseUrl(options.baseUrl)
  const report: ErrorReporter<[Context | undefined]> = reportOutdatedProcess(
    errorReporter(options.onError),
  )
  const storage = createRouterStorage({
    store: options.store,
    blobs: options.blobs,
    graceMs: options.blobGraceMs ?? defaultBlobGraceMs,
    onError: (error) => report(error, undefined),
  })
  const limits = resolveRouterLimits(options.limits, options.lists)
  const { blobs } = storage
  const { store } = storage
  const itemSizeLimit = new ItemSizeLimit(limits.maxItemBytes)
  const baseUrl = lazy(() => resolveBaseUrl(options.baseUrl))
  const { actionMs, hookMs, validationMs } = timeoutsOf(options.timeouts)
  const urlPrefix = lazy(() => baseUrl() + basePath)
  const clock = clockOf(options)
  const consumers = new Consumers(store)
  const scheduledJobs = new ScheduledJobs(store)
  const deferrals = new Deferrals()
  const ownSecret =
    validateSecret('security.cursorSecret', security.cursorSecret) ?? routerSecret(basePath)
  const storeName = part.kind === 'store' ? part.name : undefined
  const cursorSecret = storeName === undefined ? ownSecret : storeSecret(ownSecret, storeName)
  const ofOptions = featuresOf(options, {
    basePath,
    baseUrl,
    urlPrefix,
    callerHeaders: () => authentication?.headers ?? [],
    store,
    clock,
    changePositions: createChangePositionCodec(cursorSecret),
    storageObservers: storage.observersOf,
    actionTimeoutMs: actionMs,
    onError: (error) => report(error, undefined),
  })
  const features: readonly Feature[] = [
    ...ofOptions,
    consumers,
    scheduledJobs,
    deferrals,
    ...(part.kind === 'whole' ? [] : [storeChoice]),
  ]
  const authentication = createAuthentication(security, () =>
    Object.assign({}, ...features.map((feature) => feature.bearerParameters?.())),
  )
  const variants = blobs && imageVariants(store, blobs, renderVariant)
  const newDocumentCaches = documentCaches(options.maxCacheBytes ?? defaultMaxCacheBytes)
  const settings: RouterSettings = {
    store,
    observersOf: (models, writes, isHidden) => [
      itemSizeLimit,
      ...storage.observersOf(models),
      ...rollupObservers(models, {
        writes,
        keepsRelations: store.facts?.keepsRelations === true,
        isHidden,
        report: (error) => report(error, undefined),
      }),
      ...features.flatMap((feature) => feature.observers?.(models, writes) ?? []),
    ],
    storedModels: (models) =>
      storage.storedModels([
        ...withRollupModel(models),
        ...features.flatMap((feature) => feature.storedModels?.(models) ?? []),
      ]),
    blobs,
    variants,
    limits,
    cursorCodec: createCursorCodec(cursorSecret, storeName),
    newDocumentCaches,
    ...newDocumentCaches(),
    basePath,
    baseUrl,
    authentication,
    refuseCrossSite: crossSiteGuard(
      withFeatureOrigins(validateTrustedOrigins(security.trustedOrigins), features),
      baseUrl,
    ),
    urlPrefix,
    features,
    changeFeed: features.find(({ changeFeed }) => changeFeed)?.changeFeed,
    part,
    requireMatch: options.requireMatch ?? false,
    actionTimeoutMs: actionMs,
    hookTimeoutMs: hookMs,
    validationTimeoutMs: validationMs,
    clock,
    access: { isClosed: security.defaultAccess === 'closed', features },
    capabilities: options.capabilities ?? 'none',
    onError: report,
    onRefusal: errorReporter(options.onRefusal ?? noReport),
  }
  return { settings, storage, consumers, scheduledJobs, deferrals }
}

function withFeatureOrigins(trusted: TrustedOrigins, features: readonly Feature[]): TrustedOrigins {
  return trusted === 'any'
    ? trusted
    : [...trusted, ...features.flatMap(({ trustedOrigins = [] }) => trustedOrigins)]
}

const noReport = (): void => undefined

function clockOf({ now }: RouterOptions): Clock {
  if (now === undefined) return () => new Date()
  // Conditions of rules are cached by the Date of a request, and the function may return one twice.
  return () => new Date(now())
}

/** @throws RegistrationError if it is not a path */
function validateBasePath(basePath: string): string {
  if (/^(?:\/[A-Za-z0-9._~-]+)*$/.test(basePath)) return basePath
  throw new RegistrationError(
    `The option 'basePath' of createRouter() must be empty, or a path that starts with a slash and does not end with one, such as '/api'; got '${basePath}'.`,
  )
}
