/** A worker that ran so long ended for a reason of its own, and not because it cannot run. */
const runsWellAfterMs = 10_000

const firstDelayMs = 100
const maxDelayMs = 30_000

/** How many times in a row a worker has ended soon, after one that ran for this time. */
export function countQuickEnds(before: number, ranMs: number): number {
  return ranMs >= runsWellAfterMs ? 0 : before + 1
}

/** How long to wait before another worker starts: at once after one that ran well. */
export function restartDelayMs(quickEnds: number): number {
  return quickEnds === 0 ? 0 : Math.min(firstDelayMs * 2 ** (quickEnds - 1), maxDelayMs)
}
