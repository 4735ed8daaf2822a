import type { RouterServices } from '../document/router-services.ts'
import { guardsOf, requestHooks } from '../middleware/hooks.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { possiblyRelatedModels } from '../pipeline/related-models.ts'
import { listHooks } from '../rule/operations.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { hooksForRule } from './rule-hooks.ts'

/** Marks reads with hooks as personal: the response may depend on anything the hooks read. */
export function withPrivacy(
  services: Pick<RouterServices, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  middleware: MiddlewareByModel,
): ModelRule {
  if (rule.method !== 'GET') return rule
  const { request, query, owner } = hooksForRule(rule, middleware)
  const hasModelHooks = (model: ModelDescription) =>
    [...requestHooks(middleware.of(model), listHooks), ...guardsOf(middleware.of(model))].length > 0
  const isPersonal =
    [request, query, owner].some((hooks) => hooks.length > 0) ||
    [...possiblyRelatedModels(services, rule)].some(hasModelHooks)
  if (!isPersonal) return rule
  const headers = { ...rule.response.headers, 'cache-control': 'always' } as const
  return Object.freeze({ ...rule, isPersonal: true, response: { ...rule.response, headers } })
}
