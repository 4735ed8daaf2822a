/**
 * Applies a merge patch (RFC 7396): objects merge member by member, null removes, anything else
 * replaces.
 * @param keepsNulls whether null stays where it replaces null
 */
export function mergePatch(target: unknown, patch: unknown, keepsNulls = false): unknown {
  if (!isObject(patch)) return patch
  const merged = new Map(Object.entries(isObject(target) ? target : {}))
  for (const [key, value] of Object.entries(patch)) {
    const previous = merged.get(key)
    if (value !== null) merged.set(key, mergePatch(previous, value, keepsNulls))
    else if (previous !== null || !keepsNulls) merged.delete(key)
  }
  return Object.fromEntries(merged)
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
