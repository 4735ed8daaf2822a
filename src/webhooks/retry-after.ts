/**
 * How long to wait by a `Retry-After` header (RFC 9110 §10.2.3), in milliseconds: a number of
 * seconds, or a date. Undefined if there is none, or it is malformed.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header) * 1_000
  // Date.parse reads '-5' as a year.
  const date = /^[A-Z][a-z]+, \d/.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs)
}
