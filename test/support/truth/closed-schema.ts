/**
 * Closes schemas of objects with named members. Intersections are closed as a whole, because their
 * parts do not know each other's members.
 */
export function closed(value: unknown, isPart = false): object {
  if (typeof value !== 'object' || value === null) return value as never
  if (Array.isArray(value)) return value.map((entry) => closed(entry, isPart))
  const schema = value as Readonly<Record<string, unknown>>
  const isSchema =
    typeof schema.type === 'string' || Array.isArray(schema.type) || Array.isArray(schema.allOf)
  const copy = Object.fromEntries(
    Object.entries(schema).map(([name, one]) => [name, closed(one, isSchema && name === 'allOf')]),
  )
  if (!isSchema || isPart || schema.additionalProperties !== undefined) return copy
  if (Array.isArray(schema.allOf)) return { ...copy, unevaluatedProperties: false }
  return typeof schema.properties === 'object' &&
    schema.properties !== null &&
    Object.keys(schema.properties).length > 0
    ? { ...copy, additionalProperties: false }
    : copy
}
