import { operationIdOf } from '../rule/operation-id.ts'
import { isModelRule, type ModelRule, type Rule, relationTargetOf } from '../rule/rule.ts'
import type { LinkObject } from './document.ts'

/** The links of a response by operation id, in the order of methods. */
export type LinkFinder = (rule: Rule, status: number) => Readonly<Record<string, LinkObject>>

/** Links a new item to the operations on it, and a list to those that read one of its items. */
export function createLinkFinder(rules: readonly Rule[]): LinkFinder {
  const itemRules = new Map<unknown, readonly ModelRule[]>()
  for (const rule of rules) {
    if (!isModelRule(rule) || rule.path !== `/${rule.view.model.plural}/:id`) continue
    itemRules.set(rule.view, [...(itemRules.get(rule.view) ?? []), rule])
  }
  return (rule, status) => {
    if (!isModelRule(rule) || relationTargetOf(rule)) return {}
    const shape = [rule.response, ...rule.otherResponses].find((other) => other.status === status)
    const { content, idPointer } = shape ?? {}
    if (idPointer === undefined) return {}
    const targets = (itemRules.get(rule.view) ?? []).filter(
      ({ method }) => status === 201 || (content === 'list' && method === 'GET'),
    )
    return Object.fromEntries(
      targets.map((target) => [operationIdOf(target), createLink(target, idPointer)]),
    )
  }
}

function createLink(target: Rule, idPointer: string): LinkObject {
  return {
    operationId: operationIdOf(target),
    parameters: { id: `$response.body#${idPointer}` },
  }
}
