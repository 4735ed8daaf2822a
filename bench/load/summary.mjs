/** @param {number[]} latencies milliseconds; sorted in place */
export function summary(latencies) {
  latencies.sort((one, other) => one - other)
  /** @param {number} share */
  const at = (share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? null
  return { p50: at(0.5), p99: at(0.99), max: at(1) }
}
