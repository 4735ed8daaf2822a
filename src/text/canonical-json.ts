/** JSON with the members of each object in order, so that equal values have one text. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, toCanonicalValue) ?? 'undefined'
}

function toCanonicalValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return `${value}n`
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.keys(members)
      .sort()
      .map((name) => [name, members[name]]),
  )
}
