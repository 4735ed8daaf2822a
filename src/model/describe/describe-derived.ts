import { unknownName } from '../../error/unknown-name.ts'
import { keyFields } from '../key-fields.ts'
import {
  type DerivedField,
  type FieldDescription,
  isDerivedField,
  type ModelDescription,
  type ValueField,
} from '../model-description.ts'
import { RegistrationError } from '../registration-error.ts'

/**
 * The derived fields of a model, each after those that it is made of.
 * @throws RegistrationError for members of which nothing can be made, and for circles
 */
export function describeDerived(model: ModelDescription): readonly DerivedField[] {
  const fields = model.valueFields.filter(isDerivedField)
  if (fields.length === 0) return noFields
  for (const field of fields) checkSources(model, field)
  return Object.freeze(inOrder(model, fields))
}

const noFields: readonly DerivedField[] = Object.freeze([])

function checkSources(model: ModelDescription, field: DerivedField): void {
  const subject = `the field '${field.name}' of the model '${model.name}'`
  if (keyFields(model).includes(field))
    throw new RegistrationError(
      `${subject} is derived, so it cannot be a part of the key: an id stays, and what is derived changes.`,
    )
  for (const name of field.computed.from) {
    if (name === 'id')
      throw new RegistrationError(
        `${subject} cannot be derived from 'id': every item has an id, which is not a field. Name value fields and to-one relations only.`,
      )
    const source = model.fieldsByName.get(name)
    if (!source)
      throw new RegistrationError(
        unknownName(`${subject} is derived from '${name}', which the model does not have`, name, [
          ...[...model.fieldsByName.keys()].filter((other) => other !== field.name),
        ]),
      )
    const kind = kindOf(source)
    if (kind !== undefined)
      throw new RegistrationError(
        `${subject} is derived from '${name}', which is ${kind}. Name value fields and to-one relations only.`,
      )
    const { visibility } = source as ValueField
    if ((visibility === 'hidden' || visibility === 'writeOnly') && field.visibility !== 'hidden')
      throw new RegistrationError(
        `${subject} is derived from '${name}', which clients cannot read, so they must not read what is derived from it either. Set { hidden: true }.`,
      )
  }
}

/** What it is, if nothing can be derived from it. */
function kindOf({ kind }: FieldDescription): string | undefined {
  switch (kind) {
    case 'value':
    case 'toOne':
      return undefined
    case 'toMany':
    case 'inverse':
      return 'a relation to many items'
    case 'resource':
      return 'a file field'
    case 'hash':
      return 'the version of the item'
  }
}

function inOrder(model: ModelDescription, fields: readonly DerivedField[]): DerivedField[] {
  const ordered = new Set<DerivedField>()
  const visit = (field: DerivedField, path: readonly string[]): void => {
    if (ordered.has(field)) return
    const names = [...path, field.name]
    if (path.includes(field.name))
      throw new RegistrationError(
        `The derived fields of the model '${model.name}' depend on one another: ${names
          .slice(names.indexOf(field.name))
          .map((name) => `'${name}'`)
          .join(' from ')}.`,
      )
    for (const name of field.computed.from) {
      const source = fields.find((each) => each.name === name)
      if (source) visit(source, names)
    }
    ordered.add(field)
  }
  for (const field of fields) visit(field, [])
  return [...ordered]
}
