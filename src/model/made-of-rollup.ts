import {
  isDerivedField,
  type ModelDescription,
  type RollupField,
  type ValueField,
} from './model-description.ts'

/** Is its value what the items of a relation make together? */
export function isRollup(field: ValueField): field is RollupField {
  return field.computed?.kind === 'rollup'
}

/** Do other items change the value: is it a rollup, or derived from one? */
export function isMadeOfRollup(model: ModelDescription, field: ValueField): boolean {
  if (!isDerivedField(field)) return isRollup(field)
  return field.computed.from.some((name) => {
    const source = model.fieldsByName.get(name)
    return source?.kind === 'value' && isMadeOfRollup(model, source)
  })
}
