import { unknownName } from '../error/unknown-name.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { isDay, isInstant, isScalar, type ScalarType } from '../model/value-type.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { resolveManyPath, resolveScalarPath } from '../store/resolve-path.ts'
import type { AccessExpression, AccessOperand, AccessRules } from './access-rules.ts'
import { expectedValue } from './expected-value.ts'
import {
  type AccessComparison,
  comparisonsIn,
  isAboutBefore,
  isAboutCaller,
  isAboutItem,
} from './parts-of-expression.ts'

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
  const subject = `The access rules of '${model.name}'`
  const check = (name: string, expression: AccessExpression | undefined) => {
    if (!expression) return
    if (isAboutBefore(expression) && !isChangeRule(name))
      throw new RegistrationError(
        `${subject} name 'before' in '${name}', where nothing changes. Name 'item' there; 'update' and 'write' of fields can name 'before'.`,
      )
    if (isAboutCaller(expression)) refuseWithoutCallers(subject, names)
    for (const comparison of comparisonsIn(expression))
      checkComparison(subject, model, comparison, names)
  }
  for (const name of ['read', 'create', 'update', 'delete'] as const) check(name, rules[name])
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

/** Is the rule about a change of an item? */
function isChangeRule(name: string): boolean {
  return name === 'update' || (name.startsWith('fields.') && name.endsWith('.write'))
}

function refuseWithoutCallers(subject: string, { hasCallers }: AccessNames): void {
  if (hasCallers) return
  throw new RegistrationError(
    `${subject} depend on the caller, but the router has none. Set the options 'authentication' and 'caller' of createRouter().`,
  )
}

function checkComparison(
  subject: string,
  model: ModelDescription,
  comparison: AccessComparison,
  { caller }: AccessNames,
): void {
  const { left } = comparison
  if ('right' in comparison) checkCallerPath(subject, comparison.right, caller)
  checkCallerPath(subject, left, caller)
  if (comparison.kind === 'compare' || comparison.kind === 'text') {
    const statement = `${subject} compare one value with`
    for (const operand of [left, comparison.right]) refuseList(statement, operand, caller)
  }
  if (left.kind !== 'item' && left.kind !== 'before') return
  const path = { names: left.path }
  try {
    const { leaf } =
      comparison.kind === 'members' ? resolveManyPath(model, path) : resolveScalarPath(model, path)
    if (!('right' in comparison)) return
    const type = leaf.kind === 'value' ? leaf.type : undefined
    if (comparison.right.kind === 'now' && !(type && (isInstant(type) || isDay(type))))
      throw new TypeError(
        `'${left.path.join('.')}' is compared with now, but it is ${type ? `a value of the type '${type.kind}'` : 'an id'}; expected a date or a date-time.`,
      )
    if (comparison.right.kind !== 'value') return
    if (leaf.kind === 'value' && leaf.field.codec) return
    const element = type?.kind === 'array' ? type.items : type
    for (const value of [comparison.right.value].flat()) {
      const expected = expectedValue(element, value, comparison.kind === 'text')
      if (expected)
        throw new TypeError(
          `'${left.path.join('.')}' is compared with ${JSON.stringify(value)}; expected ${expected}.`,
        )
    }
  } catch (cause) {
    throw new RegistrationError(`${subject} are invalid: ${(cause as Error).message}`, { cause })
  }
}

/** A member that the schema of the caller does not have would never be equal to anything. */
function checkCallerPath(
  subject: string,
  operand: AccessOperand,
  schema: JsonSchema | undefined,
): void {
  if (operand.kind !== 'caller' || schema === undefined) return
  let current: JsonSchema | undefined = schema
  for (const name of operand.path) {
    const members: Readonly<Record<string, JsonSchema>> | undefined = current?.properties
    if (!members) return
    if (!Object.hasOwn(members, name))
      refuseUnknown(
        `${subject} name '${operand.path.join('.')}' of the caller, which its schema does not have`,
        name,
        Object.keys(members),
      )
    current = members[name]
  }
}

/** A list is equal to no single value, so the rule would never hold. */
function refuseList(
  statement: string,
  operand: AccessOperand,
  schema: JsonSchema | undefined,
): void {
  if (operand.kind !== 'caller') return
  const member = operand.path.reduce<JsonSchema | undefined>(
    (owner, name) => owner?.properties?.[name],
    schema,
  )
  if (!member || !isListSchema(member)) return
  const name = operand.path.join('.')
  throw new RegistrationError(
    `${statement} '${name}' of the caller, which is a list. Name a member with one value, or use caller.${name}.contains(…).`,
  )
}

/** Does every value but null have the type array? */
function isListSchema(schema: JsonSchema): boolean {
  const alternatives = schema.anyOf ?? schema.oneOf
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  if (types.length > 0) return types.every((type) => type === 'array')
  const values = (alternatives ?? []).filter(({ type }) => type !== 'null')
  return values.length > 0 && values.every(isListSchema)
}

function refuseUnknown(statement: string, name: string, names: readonly string[]): void {
  if (!names.includes(name)) throw new RegistrationError(unknownName(statement, name, names))
}
