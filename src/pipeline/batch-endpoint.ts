import type { Context } from '../context/context.ts'
import type { Hooks } from '../middleware/hooks.ts'
import { createMatchTree, type MatchTree } from '../router/match-tree.ts'
import { createParameterReader } from '../rule/parameter/parameter-reader.ts'
import type { BatchRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { BatchCall } from './batch-calls.ts'
import type { ModelEndpoint } from './model-endpoint.ts'
import type { BatchResult } from './run-batch.ts'

/** A batch rule, with everything that is decided at registration. */
export interface BatchEndpoint {
  readonly kind: 'batch'
  readonly rule: BatchRule
  readonly hooks: Hooks
  /** The endpoints that its operations may use. */
  readonly matchTree: MatchTree<ModelEndpoint>
  /** What runs the batch of a request; undefined where nothing but the pipeline does. */
  readonly runnerOf: ((context: Context) => BatchRunner | undefined) | undefined
  select(query: string): Selection
}

/** Runs the operations of a batch in place of the pipeline. */
export interface BatchRunner {
  /** Called with the bytes of the body, before they are parsed. */
  readonly addBody: ((bytes: Uint8Array) => void) | undefined
  run(calls: readonly BatchCall[]): Promise<readonly BatchResult[]>
}

/** @param endpoints of all models; those that the rule does not allow are left out */
export function batchEndpoint(
  rule: BatchRule,
  hooks: Hooks,
  endpoints: readonly ModelEndpoint[],
  runnerOf: BatchEndpoint['runnerOf'],
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
    runnerOf,
    select: createParameterReader(rule.parameters),
  }
}
