import type { ModelView, ModelViews } from '../model/model-view.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { BatchRule, ModelRule } from '../rule/rule.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'

/**
 * A protocol: what addresses a model gets, and how bodies are written there. It speaks once, when
 * the router is put together; after that only the rules it made speak.
 */
export interface Policy {
  readonly name: string
  /** Writes the answers to requests that no rule matches. */
  readonly serializer: ErrorSerializer
  /** The rules of one model, frozen. */
  rules(view: ModelView, views: ModelViews, limits: RouterLimits): readonly ModelRule[]
  /** The rules that are about no single model, frozen, given those of all models. */
  routerRules?(
    rules: readonly ModelRule[],
    views: ModelViews,
    limits: RouterLimits,
  ): readonly BatchRule[]
}
