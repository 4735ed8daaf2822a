const microsecondsInSecond = 1_000_000
const instantKey = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{7,})$/

/**
 * The key of an instant (`toInstantKey`) with at most 6 digits of a second, rounded as PostgreSQL
 * rounds: with floating-point numbers, halves to even.
 */
export function roundToMicroseconds(key: string): string {
  const [, seconds, fraction] = instantKey.exec(key) ?? []
  if (seconds === undefined) return key
  const microseconds = roundHalfToEven(Number(fraction) * microsecondsInSecond)
  if (microseconds < microsecondsInSecond)
    return seconds + `.${String(microseconds).padStart(6, '0')}`.replace(/\.?0*$/, '')
  const next = new Date(Date.parse(`${seconds}Z`) + 1_000).toISOString()
  // The year after 9999 begins with a sign.
  return next.startsWith('+') ? key : next.slice(0, seconds.length)
}

function roundHalfToEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest === 0.5) return floor + (floor % 2)
  return rest > 0.5 ? floor + 1 : floor
}
