import { findInvalidText } from '../http/json/invalid-text.ts'
import type { Backfill, OldItem } from '../model/declare/backfill.ts'
import {
  type DerivedField,
  isDerivedField,
  type ModelDescription,
  type ValueField,
} from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { validate } from '../schema/standard-schema.ts'
import { toStoredValue } from '../stored-item/code-values.ts'

/** A field that is filled in once, in items that have no value. */
export type BackfillField = ValueField & { readonly backfill: Backfill }

export function backfillFields({ valueFields }: ModelDescription): readonly BackfillField[] {
  return valueFields.filter(isBackfillField)
}

function isBackfillField(field: ValueField): field is BackfillField {
  return field.backfill !== undefined
}

/** A field that a start fills in by a function of the model. */
export type FilledField = BackfillField | DerivedField

export function filledByFunction({ valueFields }: ModelDescription): readonly FilledField[] {
  return valueFields.filter(isFilledByFunction)
}

export function isFilledByFunction(field: ValueField): field is FilledField {
  return isBackfillField(field) || isDerivedField(field)
}

/**
 * The value of a field for a stored item: that of its backfill, or else the default of its schema.
 * Undefined if it gets none.
 *
 * @throws RegistrationError that names the item, if the function throws or its value does not fit
 */
export async function backfillValue(
  model: ModelDescription,
  field: ValueField,
  old: OldItem,
): Promise<unknown> {
  const fault = (reason: string, cause?: unknown) =>
    backfillFault(model, field, old.id, reason, cause)
  let value: unknown
  try {
    value = await field.backfill?.(old)
  } catch (cause) {
    throw fault(cause instanceof Error ? cause.message : String(cause), cause)
  }
  if (value === undefined && field.allowsMissing) return undefined
  const result = await validate(field.schema, toStoredValue(field, value))
  if (result.kind === 'invalid')
    throw fault(
      result.issues
        .map(({ path, message }) => `${path.length > 0 ? `'${path.join('.')}': ` : ''}${message}`)
        .join('; '),
    )
  if (findInvalidText(result.value)) throw fault('the value has a lone surrogate or U+0000')
  return result.value
}

export function backfillFault(
  { name }: ModelDescription,
  field: ValueField,
  id: string,
  reason: string,
  cause?: unknown,
): RegistrationError {
  return new RegistrationError(
    `The backfill of the field '${field.name}' of the model '${name}' failed for the item '${id}': ${reason}. Correct it and start again; items that have a value keep it.`,
    { cause },
  )
}

/** What a start says of a backfill, and a plan. */
export function backfillSummary(
  { plural }: ModelDescription,
  field: ValueField,
  items: string,
): string {
  const { wireName, backfill } = field
  return isDerivedField(field)
    ? `Compute '${wireName}' of ${items} of '${plural}'.`
    : `Fill in '${wireName}' of ${items} of '${plural}', with its ${backfill ? 'backfill' : 'default'}.`
}
