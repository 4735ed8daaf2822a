import type { ModelDescription } from '../model/model-description.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { createStoredItem, readStoredValues } from './create-stored-item.ts'
import type { StoredValues } from './stored-item.ts'

type Members = Record<string, unknown>

/**
 * The values as `readStoredValues` reads them from a stored item, without making its text. Arrays
 * and objects that are JSON values already are shared with the given values.
 *
 * ```ts
 * const { editions } = valuesToStore(book, values)
 * ```
 */
export function valuesToStore(model: ModelDescription, values: StoredValues): StoredValues {
  // The text of a binary resource differs from the value.
  if (model.valueFields.some(({ nestedResources }) => nestedResources))
    return readStoredValues(model, createStoredItem(model, values, 1, ''))
  const stored: Members & { id: string } = { ...values }
  for (const { name } of model.valueFields) {
    const value = stored[name]
    if (isJsonValue(value)) continue
    const jsonValue = throughJson(value)
    if (jsonValue !== undefined) stored[name] = jsonValue
    else if (Object.hasOwn(stored, name)) delete stored[name]
  }
  for (const { name, kind } of model.ownedRelations) stored[name] ??= kind === 'toOne' ? null : []
  for (const { name } of model.resourceFields) stored[name] ??= null
  return stored
}

/**
 * The values with new arrays and objects, which code may change in place. Binary resources stay the
 * same objects.
 *
 * ```ts
 * const draft = copyValues(values)
 * ```
 */
export function copyValues(values: StoredValues): StoredValues {
  return copyMembers<Members & { id: string }>(values)
}

/** Does JSON keep the value as it is? */
function isJsonValue(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0)
    case 'object':
      if (value === null) return true
      if (Array.isArray(value)) return value.every(isJsonValue)
      return isPlainObject(value) && Object.values(value).every(isJsonValue)
    default:
      return false
  }
}

/** The value as it comes back from its JSON text; undefined if it has none. */
export function throughJson(value: unknown): unknown {
  const json: string | undefined = JSON.stringify(value)
  return json === undefined ? undefined : JSON.parse(json)
}

function copyMembers<T extends Members>(value: T): T {
  const copy: T & Members = { ...value }
  for (const name of Object.keys(copy)) copy[name as keyof T] = copyOf(copy[name]) as T[keyof T]
  return copy
}

function copyOf(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof StoredResource) return value
  return Array.isArray(value) ? value.map(copyOf) : copyMembers(value as Members)
}

function isPlainObject(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype && !('toJSON' in value)
}
