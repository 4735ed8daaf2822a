import { isDerivedField, type ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { uniqueSubject } from './unique-subject.ts'

/**
 * Ends a start where another item has the value that a function makes. Items are written one after
 * the other, so the other one may have it still, although it gets another value too.
 *
 * @returns undefined if none of the unique fields is derived
 */
export function takenDerivedValue(
  model: ModelDescription,
  names: readonly string[],
  id: string,
  cause?: unknown,
): RegistrationError | undefined {
  const fields = names.map((name) => model.fieldsByName.get(name))
  if (!fields.some((field) => field?.kind === 'value' && isDerivedField(field))) return undefined
  return new RegistrationError(
    `${uniqueSubject(model, names)}, but the function gives the item '${id}' what another stored item has. Correct it and start again. If each item gets what no other gets, so that values only move from one item to another, give the field another name.`,
    { cause },
  )
}
