// What a server does with several times the load that it can carry, and after it.

import { flood } from './flood.mjs'

/** The rate from which on more requests bring no more responses is found by doubling it. */
const firstRate = 250
const maxRate = 64_000

/**
 * @param {number} port
 * @param {{ times: number, seconds: number, connections: number }} load
 * @param {() => import('./mixed-requests.mjs').MixedRequest} nextRequest
 */
export async function measureFlood(port, { times, seconds, connections }, nextRequest) {
  /** @type {(perSecond: number, seconds: number) => ReturnType<typeof flood>} */
  const run = (perSecond, time) =>
    flood(port, { perSecond, connections, seconds: time }, nextRequest)
  let peak = 0
  for (let rate = firstRate; rate <= maxRate; rate *= 2) {
    const step = await run(rate, 2)
    const gain = step.goodPerSecond / peak
    peak = Math.max(peak, step.goodPerSecond)
    if (gain < 1.1) break
  }
  const during = await run(peak * times, seconds)
  const after = await run(peak / 2, 1)
  return { peak, during, after }
}

/** @param {Awaited<ReturnType<typeof measureFlood>>} figures */
export function floodLines({ peak, during, after }) {
  /** @param {number | null} ms */
  const shown = (ms) => (ms === null ? '–' : `${ms.toFixed(1)} ms`)
  const share = (100 * during.goodPerSecond) / peak
  return [
    `peak: ${peak.toFixed(0)} requests/s`,
    `sent: ${during.sentPerSecond.toFixed(0)}/s, and ${during.unsent} found no free connection`,
    `answered: ${during.goodPerSecond.toFixed(0)}/s (${share.toFixed(0)} % of the peak), p50 ${shown(during.goodP50)}, p99 ${shown(during.goodP99)}`,
    `refused: ${during.refusedPerSecond.toFixed(0)}/s, p50 ${shown(during.refusedP50)}, p99 ${shown(during.refusedP99)}`,
    `in the second after it, at half of the peak: ${after.refusedPerSecond.toFixed(0)} refused/s, p50 ${shown(after.goodP50)}, p99 ${shown(after.goodP99)}`,
    ...[...during.failures, ...after.failures].map((failure) => `failed: ${failure}`),
  ]
}
