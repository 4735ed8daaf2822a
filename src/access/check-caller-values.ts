import { RegistrationError } from '../model/registration-error.ts'
import type { JsonSchema } from '../schema/json-schema.ts'
import type { AccessOperand } from './access-rules.ts'
import type { AccessComparison } from './parts-of-expression.ts'

/**
 * Refuses a comparison of the caller with a value that its schema does not list: it would never
 * hold, or always where it is negated.
 * @param subject the beginning of the message
 * @param schema of the caller; undefined if nothing is known
 * @throws RegistrationError that names the values of the schema
 */
export function checkCallerValues(
  subject: string,
  comparison: AccessComparison,
  schema: JsonSchema | undefined,
): void {
  const { left } = comparison
  // A part of a text is no value.
  if (left.kind !== 'caller' || comparison.kind === 'isNull' || comparison.kind === 'text') return
  if (comparison.right.kind !== 'value') return
  const member = callerMember(left, schema)
  const listed = valuesOf(comparison.kind === 'members' ? entrySchema(member) : member)
  if (!listed) return
  const allowed = listed.filter((value) => value !== null)
  const other = [comparison.right.value]
    .flat()
    .find((value) => value !== null && !allowed.includes(value))
  if (other === undefined) return
  throw new RegistrationError(
    `${subject} compare '${left.path.join('.')}' of the caller with ${JSON.stringify(other)}; expected ${allowed.length === 1 ? '' : 'one of '}${allowed.join(', ')}.`,
  )
}

/** The schema of a member of the caller; undefined if nothing is known of it. */
export function callerMember(
  { path }: Extract<AccessOperand, { readonly kind: 'caller' }>,
  schema: JsonSchema | undefined,
): JsonSchema | undefined {
  return path.reduce<JsonSchema | undefined>((owner, name) => owner?.properties?.[name], schema)
}

/** The values that a schema lists; undefined if it accepts others. */
function valuesOf(schema: JsonSchema | undefined): readonly unknown[] | undefined {
  if (!schema) return undefined
  if (schema.enum) return schema.enum
  if (schema.const !== undefined) return [schema.const]
  if (schema.type === 'null') return [null]
  const alternatives = (schema.anyOf ?? schema.oneOf)?.map(valuesOf) ?? [undefined]
  const values = alternatives.flatMap((each) => each ?? [])
  return alternatives.includes(undefined) ? undefined : values
}

/** The schema of the entries of a list, which may be null; undefined if there are several. */
function entrySchema(schema: JsonSchema | undefined): JsonSchema | undefined {
  if (!schema) return undefined
  const alternatives = schema.anyOf ?? schema.oneOf
  if (!alternatives) return typeof schema.items === 'object' ? schema.items : undefined
  const lists = alternatives.filter(({ type }) => type !== 'null')
  return lists.length === 1 ? entrySchema(lists[0]) : undefined
}
