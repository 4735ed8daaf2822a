import type { Hooks } from '../middleware/hooks.ts'
import { createMatchTree, type MatchTree } from '../router/match-tree.ts'
import { createParameterReader } from '../rule/parameter/parameter-reader.ts'
import type { BatchRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { ModelEndpoint } from './model-endpoint.ts'

/** The rule of a batch, with all that is decided about it at registration. */
export interface BatchEndpoint {
  readonly kind: 'batch'
  readonly rule: BatchRule
  readonly hooks: Hooks
  /** Where its operations may lead. */
  readonly matchTree: MatchTree<ModelEndpoint>
  select(query: string): Selection
}

/**
 * @param endpoints of all models; those that the rule does not let its operations lead to are left
 * out
 */
export function batchEndpoint(
  rule: BatchRule,
  hooks: Hooks,
  endpoints: readonly ModelEndpoint[],
): BatchEndpoint {
  const reachable = new Set(rule.request.rules)
  const tree = createMatchTree<ModelEndpoint>()
  for (const one of endpoints)
    if (reachable.has(one.rule)) tree.add(one.rule.method, one.rule.path, one)
  return {
    kind: 'batch',
    rule,
    hooks,
    matchTree: tree,
    select: createParameterReader(rule.parameters),
  }
}
