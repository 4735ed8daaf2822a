import type { HiddenByModel } from '../access/field-variants.ts'
import { maskedStore } from '../access/masked-store.ts'
import { lruCache } from '../cache/lru-cache.ts'
import { onlyRunner } from '../feature/features.ts'
import { createGuards } from '../middleware/guards.ts'
import { hooksOf } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { viewsForCallers } from '../model/model-view.ts'
import type { CodeRunner } from '../operation/write-hooks/code-runner.ts'
import { HookObserver, type WriteHookServices } from '../operation/write-hooks/hook-observer.ts'
import type { WriteStepsByModel } from '../operation/write-hooks/write-steps.ts'
import { batchEndpoint } from '../pipeline/batch-endpoint.ts'
import { feedEndpoint } from '../pipeline/feed-endpoint.ts'
import type { Endpoint } from '../pipeline/request-router.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import type { Policy } from '../policy/policy.ts'
import { type ItemRules, itemRulesOf } from '../rule/item-rules.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { RouterAccess } from './access-by-model.ts'
import { type CallerRules, callerRules } from './caller-rules.ts'
import { callerVisibility } from './caller-visibility.ts'
import { checkResourceAddresses } from './check-resources.ts'
import { checkRuleConflicts } from './check-rule-conflicts.ts'
import { completeBatchRule, completeFeedRule } from './complete-rule.ts'
import { createViews } from './create-views.ts'
import { guardNarrowing } from './guard-narrowing.ts'
import { hiddenByMappers } from './hidden-by-mappers.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { endpointOf, linkUpdates, registeredRules } from './registered-rules.ts'
import type { Registration, RouterSettings } from './registration.ts'
import { writeStepsByModel } from './write-steps.ts'

/** What the variants of a router share. */
export interface VariantParts {
  readonly policy: Policy
  readonly settings: RouterSettings
  readonly registered: ReadonlyMap<ModelDescription, Registration>
  readonly middleware: MiddlewareByModel
  readonly routerMiddleware: readonly Middleware[]
  readonly code: CodeRunner
}

/** A router for callers who see the same fields. */
export interface RouterForGroup {
  readonly services: RouterServices
  readonly endpoints: readonly Endpoint[]
  readonly middleware: MiddlewareByModel
  readonly itemRules: ReadonlyMap<ModelDescription, ItemRules>
  /** Its rules, as a document for one caller shows them. */
  rulesFor(caller: unknown): CallerRules
}

/** A router, as groups of callers see it by the access rules of fields. */
export interface RouterVariants {
  /** For callers from whom no rule keeps a field that others see. */
  readonly whole: RouterForGroup
  of(caller: unknown): RouterForGroup
  /** Do all callers see the same fields, so that requests need not be told apart? */
  readonly isSingle: boolean
}

/** More groups than a service has roles; each takes about as much memory as a router. */
const maxVariants = 64

/** Compiles the variant of a group when its first caller comes. */
export function routerVariants(parts: VariantParts, access: RouterAccess): RouterVariants {
  const { variants } = access
  const whole = compileVariant(parts, access, variants.hiddenFromAll, parts.settings)
  const compiled = lruCache<string, RouterForGroup>(maxVariants)
  return {
    whole,
    isSingle: variants.isSingle,
    of: (caller) => {
      const key = variants.keyOf(caller)
      if (key === '') return whole
      const known = compiled.get(key)
      if (known) return known
      // What is cached for others has other fields.
      const variant = compileVariant(parts, access, variants.hiddenFrom(caller), {
        ...parts.settings,
        ...parts.settings.newDocumentCaches(),
      })
      compiled.set(key, variant)
      return variant
    },
  }
}

function compileVariant(
  parts: VariantParts,
  access: RouterAccess,
  hidden: HiddenByModel,
  settings: RouterSettings,
): RouterForGroup {
  const { policy, middleware, routerMiddleware, registered } = parts
  const { features } = settings
  const itemRules = new Map<ModelDescription, ItemRules>()
  const services = createServices({ ...parts, settings }, access, hidden, itemRules)
  const { views } = services
  const rules = registeredRules(policy, services, features, middleware)
  for (const model of registered.keys()) itemRules.set(model, itemRulesOf(rules, model))
  checkResourceAddresses(rules)
  checkRuleConflicts(rules)
  const endpoints = linkUpdates(
    rules.map((rule) => endpointOf(services, features, rule, middleware, itemRules)),
  )
  const routerRulesOf = (shown: RouterServices) => (allowed: readonly ModelRule[]) =>
    (policy.routerRules?.(allowed, shown.views, shown.limits) ?? []).map((rule) =>
      rule.operation === 'Batch'
        ? completeBatchRule(shown, features, rule, routerMiddleware)
        : completeFeedRule(shown, features, rule, routerMiddleware),
    )
  const ofRouter = routerRulesOf(services)(rules).map((rule) => {
    const hooks = hooksOf(rule.operation, routerMiddleware)
    if (rule.operation === 'GetFeed') return feedEndpoint(services, rule, hooks, endpoints)
    const runnerOf = onlyRunner(
      rule,
      features.flatMap((feature) => feature.batchRunner?.(rule, services) ?? []),
    )
    return batchEndpoint(rule, hooks, endpoints, runnerOf)
  })
  const visibilityOf = callerVisibility(views, access, (model) => middleware.of(model))
  return {
    services,
    endpoints: [...endpoints, ...ofRouter],
    middleware,
    itemRules,
    rulesFor: callerRules(services, rules, visibilityOf, (closedModels, visibility) => {
      if (closedModels.size === 0 && visibility.isEmpty)
        return { modelRules: rules, routerRules: routerRulesOf(services) }
      const open = { ...services, views: viewsForCallers(views, closedModels, visibility.adapt) }
      return {
        modelRules: registeredRules(policy, open, features, middleware),
        routerRules: routerRulesOf(open),
      }
    }),
  }
}

/** @param itemRules filled once the rules are made; guards read them per request */
function createServices(
  { settings, registered, middleware, code }: VariantParts,
  access: RouterAccess,
  hidden: HiddenByModel,
  itemRules: ReadonlyMap<ModelDescription, ItemRules>,
): RouterServices {
  const models = [...registered.keys()]
  const writeHooks = writeHooksOf(writeStepsByModel(models, middleware), settings, code)
  const observers = settings.observersOf(models, 'operations', hiddenByMappers(registered))
  return {
    ...settings,
    store: maskedStore(settings.store, access.fields),
    wholeStore: settings.store,
    views: createViews(registered, middleware, settings, { access, hidden }),
    guards: createGuards(guardNarrowing(models, middleware), access, itemRules),
    mappers: new Map(
      [...registered].map(([model, { mappers }]) => [model, mappers.map(({ mapper }) => mapper)]),
    ),
    withItems: code.withItems,
    runInAction: code.runInAction,
    writeHooks,
    writeObservers: writeHooks ? [() => new HookObserver(writeHooks), ...observers] : observers,
  }
}

/** Undefined where nothing runs around writes. */
function writeHooksOf(
  steps: WriteStepsByModel,
  settings: RouterSettings,
  { withItems }: CodeRunner,
): WriteHookServices | undefined {
  if (steps.size === 0) return undefined
  const report: WriteHookServices['commitCalls']['report'] = (error, { context }) =>
    settings.onError(error, context)
  return {
    steps,
    withItems,
    commitCalls: { hookTimeoutMs: settings.hookTimeoutMs, report },
  }
}
