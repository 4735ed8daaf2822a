import type { ModelView, Views } from '../model/model-view.ts'
import type { Limits } from '../rule/limits.ts'
import type { Rule } from '../rule/rule.ts'
import type { ErrorSerializer } from '../serializer/serializer.ts'

/**
 * A protocol: what addresses a model gets, and how bodies are written there. It speaks once, when the router is put together;
 * after that only the rules it made speak.
 */
export interface Policy {
  readonly name: string
  /** Writes the answers to requests that no rule matches. */
  readonly serializer: ErrorSerializer
  /** The rules of one model, frozen. */
  rules(view: ModelView, views: Views, limits: Limits): readonly Rule[]
}
