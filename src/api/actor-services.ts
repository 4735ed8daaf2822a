import { memoizeBy } from '../cache/memoize-by.ts'
import type { RouterServices } from '../document/router-services.ts'
import type { ActorServices } from '../item-access/item-access.ts'
import { itemEndpoints } from '../item-access/item-endpoints.ts'
import type { Actor } from '../item-access/item-environment.ts'
import { createGuards } from '../middleware/guards.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { createModelViews, type ModelViews } from '../model/model-view.ts'
import type { Policy } from '../policy/policy.ts'
import { rest } from '../policy/rest/rest.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import type { PolicyRule } from '../rule/rule.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { endpointOf, modelRules } from './model-rules.ts'

/** The router whose items code uses. */
interface ActingRouter {
  readonly services: RouterServices
  readonly middleware: MiddlewareByModel
  readonly itemRules: ReadonlyMap<ModelDescription, ItemRules>
}

/** What code uses as one kind of actor, compiled when it is used first. */
export function actorServices(kind: Actor['kind'], router: ActingRouter): ActorServices {
  return kind === 'service'
    ? servicesOfService(router.services, router)
    : servicesOfCaller(router.services, router)
}

const servicesOfCaller = memoizeBy(
  (services: RouterServices, { middleware, itemRules }: ActingRouter): ActorServices =>
    compile(services, middleware, itemRules),
)

/** No middleware guards what the service itself does. */
const servicesOfService = memoizeBy(
  (services: RouterServices, { itemRules }: ActingRouter): ActorServices =>
    compile(
      {
        ...services,
        views: serviceViews(services.views),
        guards: createGuards(new Map(), new Map(), new Map(), new Set(), itemRules),
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

function compile(
  services: RouterServices,
  middleware: MiddlewareByModel,
  itemRules: ReadonlyMap<ModelDescription, ItemRules>,
): ActorServices {
  const endpoints = modelRules(codePolicy, services, middleware).map((rule) =>
    endpointOf(services, rule, middleware, itemRules),
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
        isForService: true,
      }),
    ),
    documentPath,
  )
}
