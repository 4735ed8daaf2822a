import {
  isInstant,
  type ModelDescription,
  type OwnedRelation,
  type StoredValues,
  toInstantKey,
  type ValueType,
} from '../../store/public.ts'
import { roundToMicroseconds } from './round-to-microseconds.ts'

/**
 * The content of an item as a text that is the same in every store: a store may keep a date-time in
 * UTC with microseconds and a UUID in lower case, order the members of objects, and have one NULL
 * for null and nothing.
 * @param ignored relations that do not count
 */
export function canonicalText(
  model: ModelDescription,
  values: StoredValues,
  ignored: readonly OwnedRelation[] = [],
): string {
  const members: unknown[] = [values.id]
  for (const { name, type } of model.valueFields)
    members.push(canonicalValue(type, values[name] ?? null))
  for (const field of model.ownedRelations)
    members.push(ignored.includes(field) ? null : canonicalLinkage(values[field.name]))
  for (const { name } of model.resourceFields) members.push(sorted(values[name] ?? null))
  return JSON.stringify(members)
}

function canonicalValue(type: ValueType, value: unknown): unknown {
  if (typeof value !== 'string') return sorted(value)
  if (isInstant(type)) return roundToMicroseconds(toInstantKey(value))
  return type.kind === 'text' && type.format === 'uuid' ? value.toLowerCase() : value
}

/** A relation holds each id once. */
export function canonicalLinkage(linkage: unknown): unknown {
  return Array.isArray(linkage) ? [...new Set(linkage)] : (linkage ?? null)
}

/** The value with the members of objects in the order of their names. */
function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(sorted)
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return members
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, member]) => [name, sorted(member)])
}
