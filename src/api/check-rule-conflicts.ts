import { RegistrationError } from '../model/registration-error.ts'
import { operationIdOf } from '../rule/operation-id.ts'
import type { ModelRule } from '../rule/rule.ts'

/**
 * Checks that an action shares its path with no other rule, and that operation ids differ by more
 * than their case.
 * @throws RegistrationError
 */
export function checkRuleConflicts(rules: readonly ModelRule[]): void {
  const byPath = new Map<string, ModelRule>()
  const byId = new Map<string, ModelRule>()
  for (const rule of rules) {
    const samePath = byPath.get(rule.path)
    if (samePath && (samePath.target.kind === 'action' || rule.target.kind === 'action'))
      throw new RegistrationError(
        `${describeRule(samePath)} and ${describeRule(rule)} have the same path ${rule.path}. Rename the action.`,
      )
    byPath.set(rule.path, rule)
    const id = operationIdOf(rule)
    const sameId = byId.get(id.toLowerCase())
    if (sameId)
      throw new RegistrationError(
        `${describeRule(sameId)} and ${describeRule(rule)} have the same operation id '${id}'. Rename one of them, or set its 'operationId'.`,
      )
    byId.set(id.toLowerCase(), rule)
  }
}

function describeRule({ method, path, operation, view, target }: ModelRule): string {
  const address = `${method} ${path}`
  return target.kind === 'action'
    ? `the action '${target.action.name}' of '${view.model.name}' (${address})`
    : `${operation} (${address})`
}
