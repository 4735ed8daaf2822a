import type { FieldDescription } from '../model/model-description.ts'
import type { NestedResources } from '../model/resource-field.ts'

/**
 * The value of a field with each resource in it replaced by what `map` returns.
 *
 * ```ts
 * const values = readStoredValues(book, item)
 * const withoutResources = book.fields.map((field) => [
 *   field.name,
 *   mapFieldResources(field, values[field.name], () => null),
 * ])
 * ```
 */
export function mapFieldResources(
  field: FieldDescription,
  value: unknown,
  map: (resource: unknown) => unknown,
): unknown {
  const nested = resourcesOf(field)
  return nested ? mapResources(nested, value, map) : value
}

function resourcesOf(field: FieldDescription): NestedResources | undefined {
  if (field.kind === 'resource') return { kind: 'resource', field }
  return field.kind === 'value' ? field.nestedResources : undefined
}

function mapResources(
  nested: NestedResources,
  value: unknown,
  map: (resource: unknown) => unknown,
): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (nested.kind === 'resource') return map(value)
  if (nested.kind === 'list')
    return Array.isArray(value) ? value.map((item) => mapResources(nested.items, item, map)) : value
  const members = Object.entries(value).map(([name, member]) => {
    const nestedInMember = nested.members.get(name)
    return [name, nestedInMember ? mapResources(nestedInMember, member, map) : member]
  })
  return Object.fromEntries(members)
}
