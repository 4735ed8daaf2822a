import { originOf } from '../model/added-models.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { isScalar, type ScalarType } from '../model/value-type.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { type AccessExpression, type AccessRules, itemRuleNames } from './access-rules.ts'
import { checkCallerPath, checkComparisons, refuseList, refuseUnknown } from './check-comparison.ts'
import { expectedValue } from './expected-value.ts'
import { isAboutBefore, isAboutCaller, isAboutItem } from './parts-of-expression.ts'

/** What access rules can name. */
export interface AccessNames {
  readonly actions: readonly string[]
  /** Does the router have authenticators? */
  readonly hasCallers: boolean
  /** Of the caller, if its schema tells; undefined if nothing is known. */
  readonly caller: JsonSchema | undefined
}

/** @throws RegistrationError for what neither the model nor the caller has */
export function checkAccess(model: ModelDescription, rules: AccessRules, names: AccessNames): void {
  const origin = originOf(model.model)
  const subject =
    origin === undefined
      ? `The access rules of '${model.name}'`
      : `The access rules of '${model.name}', which ${origin} adds,`
  const check = (name: string, expression: AccessExpression | undefined) => {
    if (!expression) return
    if (isAboutBefore(expression) && !isChangeRule(name))
      throw new RegistrationError(
        `${subject} name 'before' in '${name}', where nothing changes. Name 'item' there; 'update' and 'write' of fields can name 'before'.`,
      )
    if (isAboutCaller(expression)) refuseWithoutCallers(subject, names)
    checkComparisons(subject, model, expression, names.caller)
  }
  for (const name of itemRuleNames) check(name, rules[name])
  refuseUnusedRules(subject, model, rules)
  for (const [name, expression] of Object.entries(rules.actions)) {
    refuseUnknown(
      `${subject} name the action '${name}', which the model does not have`,
      name,
      names.actions,
    )
    check(`actions.${name}`, expression)
  }
  const fieldNames = [...model.fieldsByName.keys()]
  for (const [name, { read, write }] of Object.entries(rules.fields)) {
    refuseUnknown(
      `${subject} name the field '${name}', which the model does not have`,
      name,
      fieldNames,
    )
    check(`fields.${name}.read`, read)
    check(`fields.${name}.write`, write)
    const field = model.fieldsByName.get(name)!
    if (field.kind === 'hash')
      throw new RegistrationError(
        `${subject} guard '${name}', which the service computes of what a caller sees. Remove its rule.`,
      )
    if (field.kind === 'value' && field.computed && write)
      throw new RegistrationError(
        `${subject} say who may write '${name}', which the service computes. Remove 'write'.`,
      )
    if (field.kind === 'inverse' && read && isAboutItem(read))
      throw new RegistrationError(
        `${subject} make '${name}' depend on the item, but the related items hold this relation. Say it in 'read' of '${field.relatedModel.name}', through its relation '${field.inverseOf.name}'.`,
      )
  }
  for (const [name, operand] of Object.entries(rules.set)) {
    refuseUnknown(`${subject} set '${name}', which the model does not have`, name, fieldNames)
    const field = model.fieldsByName.get(name)!
    if (field.kind !== 'value' && field.kind !== 'toOne')
      throw new RegistrationError(
        `${subject} set '${name}'. Only value fields and to-one relations can be set.`,
      )
    if (field.kind === 'value' && field.computed)
      throw new RegistrationError(
        `${subject} set '${name}', which the service computes. Remove it from 'set'.`,
      )
    if (operand.kind === 'caller') {
      refuseWithoutCallers(subject, names)
      checkCallerPath(subject, operand, names.caller)
      if (field.kind === 'toOne' || isScalar(field.type))
        refuseList(`${subject} set '${name}', which holds one value, to`, operand, names.caller)
    } else if (field.kind === 'toOne' || (isScalar(field.type) && !field.codec)) {
      const type = field.kind === 'value' ? (field.type as ScalarType) : undefined
      const expected = expectedValue(type, operand.value)
      if (expected)
        throw new RegistrationError(
          `${subject} set '${name}' to ${JSON.stringify(operand.value)}; expected ${expected}.`,
        )
    }
  }
}

/** Whoever sets such a rule expects that something is kept. */
function refuseUnusedRules(subject: string, model: ModelDescription, rules: AccessRules): void {
  const optionOf = {
    readVersions: 'history',
    restoreVersion: 'history',
    readTrash: 'trash',
    restore: 'trash',
    purge: 'trash',
  } as const
  for (const [name, option] of Object.entries(optionOf))
    if (rules[name as keyof typeof optionOf] && !model[option])
      throw new RegistrationError(
        `${subject} have '${name}', but the model does not have the option '${option}'. Set it, or remove the rule.`,
      )
}

/** Is the rule about a change of an item? */
function isChangeRule(name: string): boolean {
  return name === 'update' || (name.startsWith('fields.') && name.endsWith('.write'))
}

function refuseWithoutCallers(subject: string, { hasCallers }: AccessNames): void {
  if (hasCallers) return
  throw new RegistrationError(
    `${subject} depend on the caller, but the router has none. Set createRouter({ security: { authentication, callerSchema } }).`,
  )
}
