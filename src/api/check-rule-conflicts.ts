import { RegistrationError } from '../model/registration-error.ts'
import { operationIdOf } from '../rule/operation-id.ts'
import type { ModelRule } from '../rule/rule.ts'

/**
 * Holds the rules against each other: an address answers a method once, an action has its address
 * for itself, and no two operations share a name in the document, however it is capitalized.
 * @throws RegistrationError naming both.
 */
export function checkRuleConflicts(rules: readonly ModelRule[]): void {
  const byPath = new Map<string, ModelRule>()
  const byId = new Map<string, ModelRule>()
  for (const rule of rules) {
    const sharing = byPath.get(rule.path)
    if (sharing && (sharing.target.kind === 'action' || rule.target.kind === 'action'))
      throw new RegistrationError(
        `${describeRule(sharing)} and ${describeRule(rule)} share the path ${rule.path}; give the action another name.`,
      )
    byPath.set(rule.path, rule)
    const id = operationIdOf(rule)
    const named = byId.get(id.toLowerCase())
    if (named)
      throw new RegistrationError(
        `${describeRule(named)} and ${describeRule(rule)} would share the operation id '${id}'; give one of them another name, or an id of its own.`,
      )
    byId.set(id.toLowerCase(), rule)
  }
}

function describeRule({ method, path, operation, view, target }: ModelRule): string {
  const address = `${method} ${path}`
  return target.kind === 'action'
    ? `The action '${target.action.name}' of '${view.model.name}' (${address})`
    : `${operation} (${address})`
}
