import { isPromise } from '../concurrency/is-promise.ts'
import { findInvalidText } from '../http/json/invalid-text.ts'
import type { DerivedField, ModelDescription } from '../model/model-description.ts'
import { RegistrationError } from '../model/registration-error.ts'
import { validate } from '../schema/standard-schema.ts'
import { toStoredValue } from './code-values.ts'
import { copyValues, throughJson } from './copy-values.ts'
import { DerivedValueError } from './derived-value-error.ts'
import { isSameValue } from './same-value.ts'
import type { StoredValues } from './stored-item.ts'

/**
 * The values of an item as it will be stored, with those that are derived from others. Whatever
 * stood there is not looked at: the service alone sets them.
 *
 * ```ts
 * withDerivedValues(book, { id: 'dune', price: 12, discount: 2 })['total'] // 10
 * ```
 *
 * @throws DerivedValueError if a function throws, or what it returns does not fit
 */
export function withDerivedValues(model: ModelDescription, values: StoredValues): StoredValues {
  return derive(model, values, derivedValue)
}

/**
 * The same for a write of an item that is stored. A field whose sources stay as they are keeps its
 * value where its function fails for them: a related item has changed them, which has been
 * reported, and the writer can do nothing about it.
 *
 * @param readStored the values before the write
 * @throws DerivedValueError if a function fails for sources that this write changes
 */
export function withDerivedValuesOfChange(
  model: ModelDescription,
  values: StoredValues,
  readStored: () => StoredValues,
): StoredValues {
  return derive(model, values, (_, field, complete) => {
    const outcome = computed(model, field, complete)
    if (outcome.kind === 'value') return outcome.value
    const stored = readStored()
    if (field.computed.from.every((name) => isSameValue(complete[name], stored[name])))
      return stored[field.name]
    throw failureOf(model, field, complete, outcome)
  })
}

/**
 * The same for a state that an item had before. A field whose function fails for it now keeps the
 * value that it had: nobody can change that state so that it fits.
 */
export function withFormerDerivedValues(
  model: ModelDescription,
  values: StoredValues,
): StoredValues {
  return withDerivableValues(model, values, () => undefined)
}

/**
 * The same for an item that changes with others, whose writers can do nothing about it.
 *
 * @param onFailure gets the error of each field that keeps its value because its function fails
 */
export function withDerivableValues(
  model: ModelDescription,
  values: StoredValues,
  onFailure: (error: Error) => void,
): StoredValues {
  return derive(model, values, (_, field, complete) => {
    const outcome = computed(model, field, complete)
    if (outcome.kind === 'value') return outcome.value
    onFailure(failureOf(model, field, complete, outcome))
    return values[field.name]
  })
}

/** @param deriveValue gets what is there so far: each field follows those it is derived from */
function derive(
  model: ModelDescription,
  values: StoredValues,
  deriveValue: (model: ModelDescription, field: DerivedField, values: StoredValues) => unknown,
): StoredValues {
  const { derivedFields } = model
  if (derivedFields.length === 0) return values
  const complete: Record<string, unknown> & { id: string } = { ...values }
  for (const field of derivedFields) {
    const value = deriveValue(model, field, complete)
    if (value === undefined) delete complete[field.name]
    else complete[field.name] = value
  }
  return complete
}

/**
 * The same for an item that was stored before, when its store opens.
 * @throws RegistrationError that names the item
 */
export function withValuesDerivedAgain(
  model: ModelDescription,
  values: StoredValues,
): StoredValues {
  try {
    return withDerivedValues(model, values)
  } catch (error) {
    if (!(error instanceof DerivedValueError)) throw error
    throw new RegistrationError(`${error.message} Correct it and start again.`, { cause: error })
  }
}

function derivedValue(model: ModelDescription, field: DerivedField, values: StoredValues): unknown {
  const outcome = computed(model, field, values)
  if (outcome.kind === 'value') return outcome.value
  throw failureOf(model, field, values, outcome)
}

function failureOf(
  model: ModelDescription,
  field: DerivedField,
  { id }: StoredValues,
  { reason, cause }: Failure,
): DerivedValueError {
  return new DerivedValueError(
    `The derived field '${field.name}' of the model '${model.name}' failed for the item '${id}': ${reason}.`,
    { cause },
  )
}

type Outcome = { readonly kind: 'value'; readonly value: unknown } | Failure

interface Failure {
  readonly kind: 'failure'
  readonly reason: string
  readonly cause?: unknown
}

/** Whatever throws is a failure of the field: the function, its schema, or the encoding as JSON. */
function computed(model: ModelDescription, field: DerivedField, values: StoredValues): Outcome {
  try {
    return outcomeOf(field, field.computed.compute(sourcesOf(model, field, values)))
  } catch (cause) {
    return failure(cause instanceof Error ? cause.message : String(cause), cause)
  }
}

function outcomeOf(field: DerivedField, made: unknown): Outcome {
  if (isPromise(made)) {
    made.then(undefined, () => undefined)
    return failure("'compute' returned a promise, and must be synchronous")
  }
  const result = validate(field.computed.schema, toStoredValue(field, made))
  if (result instanceof Promise) {
    result.catch(() => undefined)
    return failure('its schema is asynchronous')
  }
  if (result.kind === 'invalid')
    return failure(
      result.issues
        .map(({ path, message }) => `${path.length > 0 ? `'${path.join('.')}': ` : ''}${message}`)
        .join('; '),
    )
  // The text of a file in a value differs from the value.
  const value = field.nestedResources ? result.value : throughJson(result.value)
  // A schema may accept what JSON has no value for, such as a function.
  if (value === undefined && field.isRequiredInResponse)
    return failure('the value is undefined, and the field is not optional')
  return findInvalidText(value)
    ? failure('the value has a lone surrogate or U+0000')
    : { kind: 'value', value }
}

function failure(reason: string, cause?: unknown): Failure {
  return { kind: 'failure', reason, cause }
}

/** The members as code sees them, in copies that it may change. */
function sourcesOf(
  { fieldsByName }: ModelDescription,
  { computed }: DerivedField,
  values: StoredValues,
): Readonly<Record<string, unknown>> {
  const chosen = Object.fromEntries(computed.from.map((name) => [name, values[name]]))
  const { id: _, ...copies } = copyValues({ ...chosen, id: values.id })
  const sources: Record<string, unknown> = copies
  for (const name of computed.from) {
    const source = fieldsByName.get(name)!
    if (source.kind === 'toOne') sources[name] ??= null
    else if (source.kind === 'value' && source.codec && sources[name] !== undefined)
      sources[name] = source.codec.decode(sources[name])
  }
  return sources
}
