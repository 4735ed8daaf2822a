import { unknownName } from '../../error/unknown-name.ts'
import type { FieldDescription, ModelDescription } from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'
import { isRelation } from '../relation-kinds.ts'
import type { ValueType } from '../value-type.ts'

/** What an option of a model does not take, as the rest of a sentence; undefined where it does. */
export interface PathRefusals {
  readonly ofId: string | undefined
  of(field: FieldDescription, members: readonly string[]): string | undefined
}

/**
 * Checks a dotted name of an option: it leads through to-one relations to what the option takes.
 * @throws RegistrationError
 */
export function checkDeclaredPath(
  start: ModelDescription,
  option: string,
  dotted: string,
  refusals: PathRefusals,
): void {
  const subject = `'${dotted}' in the option '${option}' of the model '${start.name}'`
  let model = start
  const names = dotted.split('.')
  for (const [index, name] of names.entries()) {
    const rest = names.slice(index + 1)
    if (name === 'id' && index > 0 && rest.length === 0) {
      if (refusals.ofId === undefined) return
      throw new RegistrationError(`${subject} ${refusals.ofId}.`)
    }
    if (name === 'id' && index === 0)
      throw new RegistrationError(
        `${subject} is the id that every item has, and cannot be used here.`,
      )
    const field = model.fieldsByName.get(name)
    if (!field) {
      const statement = `${subject}: '${model.name}' has no field '${name}'`
      const usable = model.fields.filter((each) => refusals.of(each, []) === undefined)
      throw new RegistrationError(
        unknownName(
          statement,
          name,
          usable.map((each) => each.name),
        ),
      )
    }
    if (isRelation(field) && rest.length > 0) {
      if (field.kind !== 'toOne')
        throw new RegistrationError(
          `${subject}: '${name}' is not a to-one relation, so no field can follow it.`,
        )
      model = field.relatedModel
      continue
    }
    const refusal = refusals.of(field, rest)
    if (refusal !== undefined) throw new RegistrationError(`${subject} ${refusal}.`)
    return
  }
}

/** The type of a member of a struct, or the name on the path that the struct does not have. */
export function typeOfMember(
  start: ValueType,
  members: readonly string[],
): ValueType | { readonly missing: string } {
  let type = start
  for (const name of members) {
    const member = type.kind === 'struct' ? type.members.get(name)?.type : undefined
    if (!member) return { missing: name }
    type = member
  }
  return type
}
