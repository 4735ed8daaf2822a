import type { Hooks } from '../middleware/hooks.ts'
import { createMatchTree, type MatchTree } from '../router/match-tree.ts'
import { createParameterReader } from '../rule/parameter/parameter-reader.ts'
import type { BatchRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { ModelEndpoint } from './model-endpoint.ts'

/** A batch rule, with everything that is decided at registration. */
export interface BatchEndpoint {
  readonly kind: 'batch'
  readonly rule: BatchRule
  readonly hooks: Hooks
  /** The endpoints that its operations may use. */
  readonly matchTree: MatchTree<ModelEndpoint>
  select(query: string): Selection
}

/** @param endpoints of all models; those that the rule does not allow are left out */
export function batchEndpoint(
  rule: BatchRule,
  hooks: Hooks,
  endpoints: readonly ModelEndpoint[],
): BatchEndpoint {
  const allowedRules = new Set(rule.request.rules)
  const matchTree = createMatchTree<ModelEndpoint>()
  for (const endpoint of endpoints)
    if (allowedRules.has(endpoint.rule))
      matchTree.add(endpoint.rule.method, endpoint.rule.path, endpoint)
  return {
    kind: 'batch',
    rule,
    hooks,
    matchTree,
    select: createParameterReader(rule.parameters),
  }
}
