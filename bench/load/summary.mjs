/** @param {number[]} latencies milliseconds; sorted in place */
export function summary(latencies) {
  latencies.sort((latency, other) => latency - other)
  /** @param {number} share */
  const quantile = (share) =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * share))] ?? null
  return { p50: quantile(0.5), p99: quantile(0.99), max: quantile(1) }
}
