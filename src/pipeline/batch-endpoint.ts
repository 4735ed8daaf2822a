import type { Hooks } from '../middleware/hooks.ts'
import { type MatchTree, matchTree } from '../router/match-tree.ts'
import { parameterReader } from '../rule/parameter/read-parameters.ts'
import type { BatchRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { ModelEndpoint } from './endpoint.ts'

/** The rule of a batch, with all that is decided about it at registration. */
export interface BatchEndpoint {
  readonly kind: 'batch'
  readonly rule: BatchRule
  readonly hooks: Hooks
  /** Where its operations may lead. */
  readonly tree: MatchTree<ModelEndpoint>
  select(query: string): Selection
}

/** @param endpoints of all models; those that the rule does not let its operations lead to are left out */
export function batchEndpoint(rule: BatchRule, hooks: Hooks, endpoints: readonly ModelEndpoint[]): BatchEndpoint {
  const reachable = new Set(rule.request.rules)
  const tree = matchTree<ModelEndpoint>()
  for (const one of endpoints) if (reachable.has(one.rule)) tree.add(one.rule.method, one.rule.path, one)
  return { kind: 'batch', rule, hooks, tree, select: parameterReader(rule.parameters) }
}
