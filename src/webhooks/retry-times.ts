const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** The pauses before further attempts (Standard Webhooks 1.0): three days and some hours in all. */
const pausesMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
]

/** How long deliveries are tried, about. */
export const retriesMs: number = pausesMs.reduce((sum, pause) => sum + pause, 0)

/** The longest pause that a receiver can ask for. */
const longestPauseMs = 24 * hour

/**
 * How long to wait before the next attempt, in milliseconds; undefined once all were made. A tenth
 * is random, so that receivers that were away do not get everything at once.
 * @param attempts how many were made
 * @param retryAfterMs what the receiver asked for, if it did
 */
export function nextPauseMs(
  attempts: number,
  retryAfterMs: number | undefined,
  random: () => number = Math.random,
): number | undefined {
  const pause = pausesMs[attempts - 1]
  if (pause === undefined) return undefined
  const asked = Math.min(retryAfterMs ?? 0, longestPauseMs)
  return Math.round(Math.max(pause, asked) * (1 + random() / 10))
}
