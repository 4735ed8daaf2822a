import type { RouterServices } from '../document/router-services.ts'
import { guardsOf, requestHooks } from '../middleware/hooks.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { possiblyRelatedModels } from '../pipeline/related-models.ts'
import { listHooks } from '../rule/operations.ts'
import type { PolicyRule } from '../rule/rule.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { hooksForRule } from './rule-hooks.ts'

/** Reads with hooks are personal: the response may depend on anything the hooks read. */
export function isRulePersonal(
  services: Pick<RouterServices, 'guards' | 'mappers' | 'views'>,
  rule: PolicyRule,
  middleware: MiddlewareByModel,
): boolean {
  if (rule.method !== 'GET') return false
  const { request, query, owner } = hooksForRule(rule, middleware)
  const hasModelHooks = (model: ModelDescription) =>
    [...requestHooks(middleware.of(model), listHooks), ...guardsOf(middleware.of(model))].length > 0
  return (
    [request, query, owner].some((hooks) => hooks.length > 0) ||
    [...possiblyRelatedModels(services, rule)].some(hasModelHooks)
  )
}
