import type { ModelDescription, ToOneField, ValueField } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { joinWords } from '../../text/message-text.ts'
import { comparableValue } from '../evaluation/comparable-value.ts'
import { uniqueSubject } from '../unique-subject.ts'

/** Fields of which no two items have the same values. */
export interface UniqueRule {
  readonly fields: readonly string[]
  /** What is unique of an item; null if the rule is not about it. */
  keyOf(values: StoredValues): string | null
}

/** Of unique fields, and of unique sets. */
export function uniqueRules({ valueFields, uniqueSets }: ModelDescription): readonly UniqueRule[] {
  return [
    ...valueFields.filter((field) => field.isUnique).map((field) => uniqueRule([field])),
    ...uniqueSets.map(({ fields, where }): UniqueRule => {
      const rule = uniqueRule(fields)
      const isAbout = (values: StoredValues) =>
        where.every(({ field, value }) => comparableValue(field, values) === value)
      return { ...rule, keyOf: (values) => (isAbout(values) ? rule.keyOf(values) : null) }
    }),
  ]
}

/** Any number of items may have null in one of the fields. */
function uniqueRule(fields: readonly (ValueField | ToOneField)[]): UniqueRule {
  return {
    fields: fields.map(({ name }) => name),
    keyOf(values) {
      const parts = fields.map((field) => comparableValue(field, values))
      return parts.includes(null) ? null : JSON.stringify(parts)
    },
  }
}

export function duplicateFault(
  model: ModelDescription,
  { fields }: UniqueRule,
  ids: readonly string[],
): RegistrationError {
  const items = joinWords(ids.map((id) => `'${id}'`))
  return new RegistrationError(
    `${uniqueSubject(model, fields)}, but the items ${items} have the same ${fields.length === 1 ? 'value' : 'values'}.`,
  )
}
