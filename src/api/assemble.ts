import type { RouterServices } from '../document/router-services.ts'
import { createGuards } from '../middleware/guards.ts'
import {
  guardsOf,
  hooksOf,
  outcomeGuardsOf,
  requestHooks,
  writeGuardsOf,
} from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { describeModels } from '../model/describe/describe-models.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { batchEndpoint } from '../pipeline/batch-endpoint.ts'
import { type ModelEndpoint, modelEndpoint } from '../pipeline/model-endpoint.ts'
import { relatedModelHooks } from '../pipeline/related-model-hooks.ts'
import type { Endpoint } from '../pipeline/request-router.ts'
import type { Policy } from '../policy/policy.ts'
import { type ItemRules, itemRulesOf } from '../rule/item-rules.ts'
import { readHooks } from '../rule/operations.ts'
import type { ModelRule } from '../rule/rule.ts'
import { writesReadOnlyItems } from '../rule/writes-read-only-items.ts'
import { checkResourceAddresses, checkResourceSupport } from './check-resources.ts'
import { checkRuleConflicts } from './check-rule-conflicts.ts'
import { completeBatchRule, completeRule } from './complete-rule.ts'
import { createViews } from './create-views.ts'
import { type MiddlewareByModel, middlewareByModel } from './middleware-by-model.ts'
import type { Registration, RouterSettings } from './registration.ts'
import { collectOtherUpdates, hooksForRule } from './rule-hooks.ts'

export interface AssembledRouter {
  readonly models: readonly ModelDescription[]
  readonly endpoints: readonly Endpoint[]
  readonly services: RouterServices
}

type RegistrationsByModel = ReadonlyMap<ModelDescription, Registration>
type ItemRulesByModel = Map<ModelDescription, ItemRules>

/**
 * Describes the registered models, lets the policy make their rules, and compiles an endpoint for
 * each rule.
 * @throws RegistrationError
 */
export function assemble(
  policy: Policy,
  settings: RouterSettings,
  routerMiddleware: readonly Middleware[],
  registrations: readonly Registration[],
): AssembledRouter {
  const models = describeModels(registrations.map(({ model }) => model))
  const registered = new Map(models.map((model, index) => [model, registrations[index]!]))
  const middleware = middlewareByModel(
    routerMiddleware,
    new Map([...registered].map(([model, { middleware }]) => [model, middleware])),
  )
  for (const model of models) checkResourceSupport(model, settings.blobs !== undefined)
  const itemRules: ItemRulesByModel = new Map()
  const services = createServices(settings, registered, middleware, itemRules)
  const { views, limits } = services
  const rules = views.all
    .flatMap((view) => policy.rules(view, views, limits))
    .filter((rule) => !writesReadOnlyItems(rule))
    .map((rule) => completeRule(services, rule, middleware))
  for (const model of models) itemRules.set(model, itemRulesOf(rules, model))
  checkResourceAddresses(rules)
  checkRuleConflicts(rules)
  const endpoints = rules.map((rule) => endpointOf(services, rule, middleware, itemRules))
  const batches = (policy.routerRules?.(rules, views, limits) ?? []).map((rule) =>
    batchEndpoint(
      completeBatchRule(services, rule, routerMiddleware),
      hooksOf(rule.operation, routerMiddleware),
      endpoints,
    ),
  )
  return { models, endpoints: [...endpoints, ...batches], services }
}

/** @param itemRules filled once the rules are made; guards read them per request */
function createServices(
  settings: RouterSettings,
  registrations: RegistrationsByModel,
  middleware: MiddlewareByModel,
  itemRules: ItemRulesByModel,
): RouterServices {
  const { requireMatch: _, documentPath: __, ...routerServices } = settings
  const models = [...registrations.keys()]
  return {
    ...routerServices,
    views: createViews(registrations, middleware, settings),
    guards: createGuards(
      new Map(models.map((model) => [model, guardsOf(middleware.of(model))])),
      new Map(models.map((model) => [model, writeGuardsOf(middleware.of(model))])),
      new Map(models.map((model) => [model, outcomeGuardsOf(middleware.of(model))])),
      new Set(
        models.filter((model) => requestHooks(middleware.relatedOf(model), readHooks).length > 0),
      ),
      itemRules,
    ),
    mappers: new Map(
      [...registrations].map(([model, { mappers }]) => [
        model,
        mappers.map(({ mapper }) => mapper),
      ]),
    ),
  }
}

function endpointOf(
  services: RouterServices,
  rule: ModelRule,
  middleware: MiddlewareByModel,
  itemRules: ItemRulesByModel,
): ModelEndpoint {
  const hooks = hooksForRule(rule, middleware)
  const relatedHooks = relatedModelHooks(services, rule, hooks.request, {
    itemMiddleware: (model) => middleware.relatedOf(model),
    itemRules,
  })
  const otherUpdates = collectOtherUpdates(rule, itemRules, middleware)
  return modelEndpoint(services, rule, hooks, relatedHooks, otherUpdates)
}
