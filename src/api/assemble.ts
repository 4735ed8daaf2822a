import type { ModelAccess } from '../access/model-access.ts'
import { type ItemAccess, itemAccess } from '../items/item-access.ts'
import { type ClientLimit, clientLimitsOf } from '../middleware/client-limit.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import type { Policy } from '../policy/policy.ts'
import { describeRegistered, routerAccess } from './access-by-model.ts'
import { servicesOfCaller, servicesOfService } from './actor-services.ts'
import { checkCallerKeys } from './check-caller-keys.ts'
import { checkDerivedRelations } from './check-derived-relations.ts'
import { checkResourceSupport } from './check-resources.ts'
import { checkRollups } from './check-rollups.ts'
import { findPreparedModel } from './load-items.ts'
import { middlewareByModel } from './middleware-by-model.ts'
import type { Registration, RouterSettings } from './registration.ts'
import { resolveSecurity } from './resolve-security.ts'
import { type RouterVariants, routerVariants } from './router-variants.ts'

export interface AssembledRouter {
  readonly models: readonly ModelDescription[]
  readonly variants: RouterVariants
  readonly access: ItemAccess
  /** Do access rules let some callers do what others may not? */
  readonly hasCallerRules: boolean
  /** Of the middleware of the router. */
  readonly limits: readonly ClientLimit[]
}

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
  const registered = describeRegistered(registrations, settings.access)
  const models = [...registered.keys()]
  const rules = routerAccess(registered, settings.access, settings.authentication?.callerSchema)
  const allMiddleware = [
    ...ownRouterMiddleware,
    ...registrations.flatMap(({ middleware }) => middleware),
  ]
  const resolve = resolveSecurity(allMiddleware, settings.authentication)
  const routerMiddleware = ownRouterMiddleware.map(resolve)
  const middleware = middlewareByModel(
    routerMiddleware,
    new Map([...registered].map(([model, { middleware }]) => [model, middleware.map(resolve)])),
    resolve,
    rules.middleware,
  )
  checkDerivedRelations(models, (model) => middleware.of(model))
  checkRollups(registered, middleware)
  for (const model of models) checkResourceSupport(model, settings.blobs !== undefined)
  const access: ItemAccess = itemAccess(
    (actor) =>
      actor.kind === 'service'
        ? servicesOfService(variants.whole)
        : servicesOfCaller(variants.of(actor.context.caller)),
    (model) => findPreparedModel(models, model, 'items()'),
    settings.hookTimeoutMs,
  )
  const variants = routerVariants(
    { policy, settings, registered, middleware, routerMiddleware, code: access },
    rules,
  )
  for (const feature of settings.features) feature.registered?.(models)
  checkCallerKeys(allMiddleware, settings.authentication?.callerSchema)
  checkLimitNames(
    ownRouterMiddleware,
    registrations.map(({ middleware }) => middleware),
  )
  const limits = clientLimitsOf(routerMiddleware)
  const hasCallerRules = [...rules.accesses.values()].some(dependsOnCaller)
  return { models, variants, access, hasCallerRules, limits }
}

function dependsOnCaller(access: ModelAccess): boolean {
  return [
    access.read,
    access.create,
    access.update,
    access.delete,
    ...access.allActions,
    ...access.fields.map(({ write }) => write),
  ].some(({ kind }) => kind !== 'always' && kind !== 'never')
}

/**
 * A response names each limit of a request once, and a batch takes points of each name once.
 * @param ofModels the middleware of each model, without that of the router
 * @throws RegistrationError for two limits of a request with one name
 */
function checkLimitNames(
  ofRouter: readonly Middleware[],
  ofModels: readonly (readonly Middleware[])[],
): void {
  for (const own of [[], ...ofModels]) {
    const names = clientLimitsOf([...ofRouter, ...own]).flatMap(({ name }) => name ?? [])
    const repeated = names.find((name, index) => names.indexOf(name) !== index)
    if (repeated !== undefined)
      throw new RegistrationError(
        `Two limits of the same requests have the name '${repeated}'. Give each one a name of its own: limit({ name: '…', … }).`,
      )
  }
}
