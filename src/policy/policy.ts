import type { ModelView, ModelViews } from '../model/model-view.ts'
import type { PolicyLimits } from '../rule/router-limits.ts'
import type { ModelRule, PolicyRouterRule, PolicyRule } from '../rule/rule.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'

/**
 * A protocol: the paths and operations of a model, and the formats of its bodies. The router calls
 * it once, at registration, and serves requests from the rules it returned.
 */
export interface Policy {
  readonly name: string
  /** Writes the errors of requests that match no rule. */
  readonly serializer: ErrorSerializer
  /** Returns the rules of one model, frozen. */
  rules(view: ModelView, views: ModelViews, limits: PolicyLimits): readonly PolicyRule[]
  /** Returns rules that belong to no single model, frozen. @param rules those of all models */
  routerRules?(
    rules: readonly ModelRule[],
    views: ModelViews,
    limits: PolicyLimits,
  ): readonly PolicyRouterRule[]
}
