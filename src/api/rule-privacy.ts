import { memoizeBy } from '../cache/memoize-by.ts'
import { isSafe } from '../http/safe-method.ts'
import { guardsOf, requestHooks } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { narrowsNothing } from '../middleware/narrowing.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { possiblyRelatedModels } from '../pipeline/related-models.ts'
import type { RouterServices } from '../pipeline/router-services.ts'
import { listHooks } from '../rule/operations.ts'
import { type PolicyRule, pathView } from '../rule/rule.ts'
import type { MiddlewareByModel } from './middleware-by-model.ts'
import { hooksForRule } from './rule-hooks.ts'

/** Versions and the trash name callers. */
const personalTargets: ReadonlySet<string> = new Set([
  'capabilities',
  'changes',
  'versions',
  'version',
  'trash',
  'trashed',
])

/**
 * Reads with hooks are personal: the response may depend on anything the hooks read. Where callers
 * are known, so are reads with mappers and with hooks around requests. Responses to QUERY always
 * are, and all where the caller decides which store responds.
 */
export function isRulePersonal(
  services: Pick<RouterServices, 'guards' | 'mappers' | 'views' | 'authentication' | 'part'>,
  rule: PolicyRule,
  middleware: MiddlewareByModel,
): boolean {
  if (!isSafe(rule)) return false
  if (services.part.kind !== 'whole') return true
  // A cache that knows no QUERY would take the address alone for its key (RFC 10008 §2.7).
  if (rule.request.kind === 'query') return true
  const { request, query, owner, around } = hooksForRule(rule, middleware)
  const related = [...possiblyRelatedModels(services, rule)]
  if (services.authentication) {
    const models = [rule.view.model, pathView(rule).model, ...related]
    if (around.length > 0 || models.some((model) => services.mappers.get(model)?.length))
      return true
  }
  if (personalTargets.has(rule.target.kind)) return true
  const { fields } = services.guards
  if ([rule.view.model, pathView(rule).model, ...related].some((model) => fields.hasMasks(model)))
    return true
  const hasModelHooks = (model: ModelDescription) => hasReadHooks(middleware.of(model))
  return (
    request.length > 0 ||
    !narrowsNothing(query) ||
    !narrowsNothing(owner) ||
    related.some(hasModelHooks)
  )
}

const hasReadHooks = memoizeBy(
  (middleware: readonly Middleware[]): boolean =>
    requestHooks(middleware, listHooks).length > 0 || !narrowsNothing(guardsOf(middleware)),
)
