import type { IncludeNode } from '../rule/selection.ts'
import { type ConditionCounts, countConditions } from './count-conditions.ts'

/** What a request includes. */
export interface IncludedCounts extends ConditionCounts {
  readonly relations: number
  readonly depth: number
  readonly items: number
}

/** The items that a relation to many is taken for, for each of its owners. */
const itemsOfOwner = 10
/** The items that one relation is taken for at most. */
const maxItems = 1_000

/** @param owners the items whose relations are included */
export function countIncluded(nodes: readonly IncludeNode[], owners: number): IncludedCounts {
  return nodes.reduce((counts, node) => added(counts, countNode(node, owners)), noneIncluded)
}

function countNode({ relation, children, selection }: IncludeNode, owners: number): IncludedCounts {
  const perOwner = relation.kind === 'toOne' ? 1 : (selection?.size ?? itemsOfOwner)
  const items = Math.min(owners * perOwner, maxItems)
  const below = countIncluded(children, items)
  const conditions = selection && countConditions(relation.relatedModel, selection.condition)
  return added(
    { ...noneIncluded, ...conditions, relations: 1, depth: 1, items },
    { ...below, depth: 1 + below.depth },
  )
}

const noneIncluded: IncludedCounts = Object.freeze({
  relations: 0,
  depth: 0,
  items: 0,
  conditions: 0,
  relatedConditions: 0,
  textSearches: 0,
})

function added(one: IncludedCounts, other: IncludedCounts): IncludedCounts {
  return {
    relations: one.relations + other.relations,
    depth: Math.max(one.depth, other.depth),
    items: one.items + other.items,
    conditions: one.conditions + other.conditions,
    relatedConditions: one.relatedConditions + other.relatedConditions,
    textSearches: one.textSearches + other.textSearches,
  }
}
