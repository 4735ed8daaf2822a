import type { Feature } from '../feature/feature.ts'
import { onlyRunner } from '../feature/features.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { actionDeferral } from '../pipeline/defer-action.ts'
import type { Deferral } from '../pipeline/deferral.ts'
import { DeferredRequest } from '../pipeline/deferred-request.ts'
import { type ModelEndpoint, modelEndpoint } from '../pipeline/model-endpoint.ts'
import { relatedModelHooks } from '../pipeline/related-model-hooks.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import type { Policy } from '../policy/policy.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import type { ModelRule } from '../rule/rule.ts'
import { writesReadOnlyItems } from '../rule/writes-read-only-items.ts'
import { completeRule } from './complete-rule.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { collectOtherUpdates, hooksForRule } from './rule-hooks.ts'

/**
 * The rules that a policy makes for all models, with what middleware adds to them. Only code of the
 * service writes items of read-only models.
 */
export function registeredRules(
  policy: Pick<Policy, 'rules'>,
  services: RouterServices,
  features: readonly Feature[],
  middleware: MiddlewareByModel,
): readonly ModelRule[] {
  const { views, limits } = services
  return views.all
    .flatMap((view) => {
      const rules = policy.rules(view, views, limits)
      return view.isForService ? rules : rules.filter((rule) => !writesReadOnlyItems(rule))
    })
    .map((rule) => completeRule(services, features, rule, middleware))
}

export function endpointOf(
  services: RouterServices,
  features: readonly Feature[],
  rule: ModelRule,
  middleware: MiddlewareByModel,
  itemRules: ReadonlyMap<ModelDescription, ItemRules>,
): ModelEndpoint {
  const hooks = hooksForRule(rule, middleware)
  const relatedHooks = relatedModelHooks(services, rule, hooks.request, {
    itemMiddleware: (model) => middleware.relatedOf(model),
    itemRules,
  })
  const otherUpdates = collectOtherUpdates(rule, itemRules, middleware)
  const runnerOf = onlyRunner(
    rule,
    features.flatMap((feature) => feature.operationRunner?.(rule, services) ?? []),
  )
  const deferral = onlyRunner(
    rule,
    features.flatMap((feature) => feature.deferral?.(rule) ?? []),
  )
  return modelEndpoint(services, rule, hooks, relatedHooks, otherUpdates, {
    runnerOf: deferral ? runnerWithDeferral(services, rule, deferral, runnerOf) : runnerOf,
    // The runner of an action has it already.
    deferral: rule.target.kind === 'action' ? undefined : deferral,
  })
}

/**
 * A deferred request brings its own runner, so no key of the client applies. A request with a key
 * runs at once, because the key keeps its result.
 */
function runnerWithDeferral(
  services: RouterServices,
  rule: ModelRule,
  deferral: Deferral,
  runnerOf: ModelEndpoint['runnerOf'],
): ModelEndpoint['runnerOf'] {
  const { target } = rule
  const deferring =
    target.kind === 'action' ? actionDeferral(services, rule, target.action, deferral) : undefined
  return (context) =>
    context.request instanceof DeferredRequest
      ? context.request.runner
      : (runnerOf?.(context) ?? deferring?.(context))
}

/** Lets lines of new items find how existing ones are changed. */
export function linkUpdates(endpoints: readonly ModelEndpoint[]): readonly ModelEndpoint[] {
  const updates = new Map(
    endpoints
      .filter(({ rule: { request } }) => request.kind === 'item' && request.purpose === 'update')
      .map((endpoint) => [endpoint.model, endpoint]),
  )
  return endpoints.map((endpoint) => {
    const { model, rule } = endpoint
    const hasLines = rule.request.kind === 'item' && rule.request.lines !== undefined
    return hasLines ? { ...endpoint, updateEndpoint: updates.get(model) } : endpoint
  })
}
