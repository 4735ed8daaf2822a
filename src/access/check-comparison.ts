import { unknownName } from '../error/unknown-name.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { isDay, isInstant } from '../model/value-type.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import { relatedModelAt, resolveManyPath, resolveScalarPath } from '../store/resolve-path.ts'
import {
  type AccessExpression,
  type AccessOperand,
  isStoredOperand,
  type StoredOperand,
} from './access-rules.ts'
import { callerMember, checkCallerValues } from './check-caller-values.ts'
import { expectedValue } from './expected-value.ts'
import { type AccessComparison, comparisonsIn, type SomeExpression } from './parts-of-expression.ts'

/**
 * @param subject the beginning of each message
 * @param caller what is known of the caller
 * @throws RegistrationError for a comparison that names what the model or the caller lacks, or that
 * never holds
 */
export function checkComparisons(
  subject: string,
  model: ModelDescription,
  expression: AccessExpression,
  caller: JsonSchema | undefined,
  stored: readonly AccessOperand['kind'][] = ['item', 'before'],
): void {
  for (const part of comparisonsIn(expression)) {
    if (isStoredOperand(part.left) && !stored.includes(part.left.kind))
      throw new RegistrationError(
        `${subject} name '${part.left.path.join('.')}' of a related item outside of the function of some() that it belongs to.`,
      )
    if (part.kind === 'some') checkSome(subject, model, part, caller)
    else checkComparison(subject, model, part, caller)
  }
}

function checkSome(
  subject: string,
  model: ModelDescription,
  { left, expression }: SomeExpression,
  caller: JsonSchema | undefined,
): void {
  const path = { names: (left as StoredOperand).path }
  let related: ModelDescription
  try {
    related = relatedModelAt(model, path)
  } catch (cause) {
    throw new RegistrationError(`${subject} are invalid: ${(cause as Error).message}`, { cause })
  }
  checkComparisons(subject, related, expression, caller, ['related'])
}

function checkComparison(
  subject: string,
  model: ModelDescription,
  comparison: AccessComparison,
  caller: JsonSchema | undefined,
): void {
  const { left } = comparison
  if ('right' in comparison) checkCallerPath(subject, comparison.right, caller)
  checkCallerPath(subject, left, caller)
  if (comparison.kind === 'compare' || comparison.kind === 'text') {
    const statement = `${subject} compare one value with`
    for (const operand of [left, comparison.right]) refuseList(statement, operand, caller)
  }
  if (!isStoredOperand(left)) {
    checkCallerValues(subject, comparison, caller)
    return
  }
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
export function checkCallerPath(
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
export function refuseList(
  statement: string,
  operand: AccessOperand,
  schema: JsonSchema | undefined,
): void {
  if (operand.kind !== 'caller') return
  const member = callerMember(operand, schema)
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

export function refuseUnknown(statement: string, name: string, names: readonly string[]): void {
  if (!names.includes(name)) throw new RegistrationError(unknownName(statement, name, names))
}
