// How long requests wait in a deployment, at several loads.

import { quantile, simulate } from './simulate.mjs'

/** Shares of what the deployment carries by the formulas. */
export const LOADS = [0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95]
const OVERLOAD = 1.3
const REQUESTS = 20_000

/**
 * @typedef {object} Waiting
 * @property {{ p50Ms: number, p99Ms: number }[]} waits at each of the loads
 * @property {number | undefined} doubledAt the lowest load at which the 99th percentile of the time
 * to a response is twice that at the lowest of all
 * @property {number} most what it carries when more comes, as a share of what the formulas say
 */

/**
 * @param {import('./deployments.mjs').Deployment} deployment
 * @returns {Waiting}
 */
export function waitingIn({ fullPerSecond, stations, stepsOf }) {
  const at = (/** @type {number} */ load) =>
    simulate({
      stations,
      stepsOf,
      perSecond: fullPerSecond * load,
      requests: REQUESTS,
      seed: Math.round(load * 1_000),
    })
  const outcomes = LOADS.map(at)
  const slowest = outcomes.map(({ responsesUs }) => quantile(responsesUs, 0.99))
  const first = slowest[0] ?? Number.NaN
  return {
    waits: outcomes.map(({ waitsUs }) => ({
      p50Ms: quantile(waitsUs, 0.5) / 1_000,
      p99Ms: quantile(waitsUs, 0.99) / 1_000,
    })),
    doubledAt: LOADS.find((_, index) => (slowest[index] ?? 0) >= 2 * first),
    most: OVERLOAD * at(OVERLOAD).endedShare,
  }
}
