// How long the event loop of this process was busy at a time. A process that waits for a processor
// is late without having done anything, so its processor time tells more on a busy machine.

/** @typedef {{ ms: number, cpuMs: number }} Turn */

const intervalMs = 2

/** @returns {() => Turn} the longest turn since it was called last, each figure for itself */
export function watchTurns() {
  let longest = { ms: 0, cpuMs: 0 }
  let lastAt = performance.now()
  let lastCpu = process.cpuUsage()
  setInterval(() => {
    const { user, system } = process.cpuUsage(lastCpu)
    const now = performance.now()
    longest = {
      ms: Math.max(longest.ms, now - lastAt),
      cpuMs: Math.max(longest.cpuMs, (user + system) / 1_000),
    }
    lastAt = now
    lastCpu = process.cpuUsage()
  }, intervalMs).unref()
  return () => {
    const turn = longest
    longest = { ms: 0, cpuMs: 0 }
    return turn
  }
}
