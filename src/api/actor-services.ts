import { memoizeBy } from '../cache/memoize-by.ts'
import type { Feature } from '../feature/feature.ts'
import type { ActorServices } from '../items/item-access.ts'
import { itemEndpoints } from '../items/item-endpoints.ts'
import { createGuards, noGuardAccess, noGuardNarrowing } from '../middleware/guards.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { createModelViews, type ModelViews } from '../model/model-view.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import type { Policy } from '../policy/policy.ts'
import { rest } from '../policy/rest/rest.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import type { PolicyRule } from '../rule/rule.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { endpointOf, registeredRules } from './registered-rules.ts'
import type { RouterForGroup } from './router-variants.ts'

/** What code uses in the name of a caller, compiled when it is used first. */
export const servicesOfCaller: (variant: RouterForGroup) => ActorServices = memoizeBy(
  ({ services, middleware, itemRules }: RouterForGroup): ActorServices =>
    compile(services, middleware, itemRules),
)

/** What code of the service uses: nothing guards what it does. */
export const servicesOfService: (variant: RouterForGroup) => ActorServices = memoizeBy(
  ({ services, itemRules }: RouterForGroup): ActorServices =>
    compile(
      {
        ...services,
        store: services.wholeStore,
        views: serviceViews(services.views),
        guards: createGuards(noGuardNarrowing, noGuardAccess, itemRules),
        mappers: new Map(services.views.all.map(({ model }) => [model, []])),
      },
      { of: () => [], relatedOf: () => [], ofAction: () => [] },
      itemRules,
    ),
)

/**
 * Any policy would do that has all operations: code sends and gets no documents. Code can write a
 * relation from either side, whatever clients of the policy can.
 */
const codePolicy: Pick<Policy, 'rules'> = {
  rules: (view, views, limits) => rest().rules(view, views, limits).map(withWrittenInverses),
}

function withWrittenInverses(rule: PolicyRule): PolicyRule {
  const { request } = rule
  if (request.kind !== 'item') return rule
  return { ...rule, request: { ...request, writesInverses: true } } as PolicyRule
}

/** Options turn on what is for requests. */
const noFeatures: readonly Feature[] = []

function compile(
  services: RouterServices,
  middleware: MiddlewareByModel,
  itemRules: ReadonlyMap<ModelDescription, ItemRules>,
): ActorServices {
  const endpoints = registeredRules(codePolicy, services, noFeatures, middleware).map((rule) =>
    endpointOf(services, noFeatures, rule, middleware, itemRules),
  )
  return { services, endpoints: itemEndpoints(endpoints) }
}

function serviceViews({ all, documentPath }: ModelViews): ModelViews {
  return createModelViews(
    all.map((view) =>
      Object.freeze({
        ...view,
        addedMembers: new Map(),
        hiddenNames: new Set<string>(),
        writableHiddenNames: new Set<string>(),
        filterableHiddenNames: new Set<string>(),
        isGuarded: false,
        hasWriteGuards: false,
        guardedChanges: new Set<string>(),
        hasOutcomeGuards: false,
        requiresIfMatch: false,
        capabilities: 'none' as const,
        hasChangeFeed: false,
        maskedNames: new Set<string>(),
        absentNames: new Set<string>(),
        unsettableNames: new Set<string>(),
        isForService: true,
      }),
    ),
    documentPath,
  )
}
