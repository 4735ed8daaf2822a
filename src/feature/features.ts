import type { Info } from '../openapi/document.ts'
import { isModelRule, type Rule } from '../rule/rule.ts'
import { browserPages } from './browser-pages/browser-pages.ts'
import { changeLog } from './change-log/change-log.ts'
import type { ChangesOptions } from './change-log/change-log-options.ts'
import { changeFeed } from './change-log/feed/change-feed.ts'
import { compression } from './compression/compression.ts'
import type { CompressionOptions } from './compression/compression-options.ts'
import { cors } from './cors/cors.ts'
import type { CorsOptions } from './cors/cors-options.ts'
import type { Feature, RouterSetup } from './feature.ts'
import { history } from './history/history.ts'
import { idempotency } from './idempotency/idempotency.ts'
import type { IdempotencyOptions } from './idempotency/idempotency-options.ts'
import type { ProtectedResourceOptions } from './protected-resource/metadata.ts'
import { protectedResource } from './protected-resource/protected-resource.ts'
import { replicas } from './replicas/replicas.ts'
import { tenant } from './tenant/tenant.ts'
import type { TenantOptions } from './tenant/tenant-options.ts'
import { trash } from './trash/trash.ts'

/** The options of a router that turn features on. */
interface FeatureOptions {
  readonly changes?: boolean | ChangesOptions
  readonly compression?: boolean | CompressionOptions
  readonly idempotency?: boolean | IdempotencyOptions
  readonly baseUrl?: unknown
  readonly docsPage?: boolean
  readonly info?: Info
  readonly startPage?: boolean
  readonly security?: {
    readonly authentication?: unknown
    readonly cors?: CorsOptions
    readonly protectedResource?: ProtectedResourceOptions
    readonly tenant?: TenantOptions<never>
  }
}

/**
 * The features of a router, the innermost first.
 * @throws RegistrationError for an invalid option
 */
export function featuresOf(options: FeatureOptions, router: RouterSetup): readonly Feature[] {
  return [
    browserPages(options, router),
    compression(options.compression),
    protectedResource(options, router),
    cors(options.security?.cors, router),
    history(router),
    trash(router),
    replicas(router),
    idempotency(options.idempotency, router),
    tenant(options.security ?? {}),
    changeLog(options.changes, router),
    changeFeed(options.changes, router),
  ].filter((feature) => feature !== undefined)
}

/** Paths below the base path at which features serve pages. */
export function pagePathsOf(features: readonly Feature[]): readonly string[] {
  return features.flatMap((feature) => feature.pagePaths ?? [])
}

/**
 * What runs the operation of a rule in place of its endpoint, of those that features give.
 * @throws Error if two of them would run it
 */
export function onlyRunner<Runner>(rule: Rule, runners: readonly Runner[]): Runner | undefined {
  const [runner, other] = runners
  if (other) {
    const owner = isModelRule(rule) ? `the model '${rule.view.model.name}'` : 'the router'
    throw new Error(`Two features run the operation '${rule.operation}' of ${owner}.`)
  }
  return runner
}
