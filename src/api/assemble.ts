import type { RouterServices } from '../document/router-services.ts'
import { type ItemAccess, itemAccess } from '../item-access/item-access.ts'
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
import type { Endpoint } from '../pipeline/request-router.ts'
import type { Policy } from '../policy/policy.ts'
import { type ItemRules, itemRulesOf } from '../rule/item-rules.ts'
import { readHooks } from '../rule/operations.ts'
import { actorServices } from './actor-services.ts'
import { checkResourceAddresses, checkResourceSupport } from './check-resources.ts'
import { checkRuleConflicts } from './check-rule-conflicts.ts'
import { completeBatchRule } from './complete-rule.ts'
import { createViews } from './create-views.ts'
import { findPreparedModel } from './load-items.ts'
import { type MiddlewareByModel, middlewareByModel } from './middleware-by-model.ts'
import { endpointOf, modelRules } from './model-rules.ts'
import type { Registration, RouterSettings } from './registration.ts'
import { resolveSecurity } from './resolve-security.ts'
import { writeStepsByModel } from './write-steps.ts'

export interface AssembledRouter {
  readonly models: readonly ModelDescription[]
  readonly endpoints: readonly Endpoint[]
  readonly services: RouterServices
  readonly access: ItemAccess
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
  ownRouterMiddleware: readonly Middleware[],
  registrations: readonly Registration[],
): AssembledRouter {
  const models = describeModels(registrations.map(({ model }) => model))
  const registered = new Map(models.map((model, index) => [model, registrations[index]!]))
  const resolve = resolveSecurity(
    [...ownRouterMiddleware, ...registrations.flatMap(({ middleware }) => middleware)],
    settings.authentication,
  )
  const routerMiddleware = ownRouterMiddleware.map(resolve)
  const middleware = middlewareByModel(
    routerMiddleware,
    new Map([...registered].map(([model, { middleware }]) => [model, middleware.map(resolve)])),
    resolve,
  )
  for (const model of models) checkResourceSupport(model, settings.blobs !== undefined)
  const itemRules: ItemRulesByModel = new Map()
  const access: ItemAccess = itemAccess(
    (kind) => actorServices(kind, { services, middleware, itemRules }),
    (model) => findPreparedModel(models, model),
  )
  const services = createServices(settings, registered, middleware, itemRules, access)
  const { views, limits } = services
  const rules = modelRules(policy, services, middleware)
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
  return { models, endpoints: [...endpoints, ...batches], services, access }
}

/** @param itemRules filled once the rules are made; guards read them per request */
function createServices(
  settings: RouterSettings,
  registrations: RegistrationsByModel,
  middleware: MiddlewareByModel,
  itemRules: ItemRulesByModel,
  { withItems }: ItemAccess,
): RouterServices {
  const { requireMatch: _, documentPath: __, ...routerServices } = settings
  const models = [...registrations.keys()]
  const steps = writeStepsByModel(models, middleware)
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
    withItems,
    writeHooks:
      steps.size === 0
        ? undefined
        : {
            steps,
            withItems,
            report: (error, { context }) => settings.onError(error, context),
          },
  }
}
