// A simulation of requests that come at random and wait for processes, for processors and for a
// lock. It depends on its seed alone, so the page that shows its results is the same each time.

import { randomOf } from '../../bench/harness/random.mjs'
import { EventQueue } from './event-queue.mjs'

/**
 * @typedef {object} Step of a request
 * @property {number} station where it is served; each station has a queue
 * @property {number} us for how long
 * @property {boolean} [isLocked] whether the request waits for the lock before, and keeps it
 *
 * @typedef {object} Simulation
 * @property {readonly number[]} stations how many requests each serves at once
 * @property {number} perSecond how many requests come
 * @property {number} requests after which no more come
 * @property {number} seed
 * @property {(random: () => number) => readonly Step[]} stepsOf the steps of a new request
 *
 * @typedef {object} Outcome
 * @property {number[]} waitsUs how long each request waited, in the order of their ends, without
 * the first tenth
 * @property {number[]} responsesUs from their arrivals to their ends
 * @property {number} endedShare how many of the requests ended while others came: of those that
 * need the lock or of those that need none, whichever is less
 *
 * @typedef {object} Request
 * @property {number} arrivedAt
 * @property {readonly Step[]} steps
 * @property {number} at the step that it is at
 */

/** The first requests meet empty queues. */
const SHARE_BEFORE = 0.1

/**
 * @param {Simulation} simulation
 * @returns {Outcome}
 */
export function simulate({ stations, perSecond, requests, seed, stepsOf }) {
  const random = randomOf(seed)
  /** @type {EventQueue<Request | undefined>} a request whose step ends, or an arrival */
  const events = new EventQueue()
  const free = [...stations]
  /** @type {Request[][]} */
  const queues = stations.map(() => [])
  /** @type {Request[]} */
  const lockQueue = []
  let isLocked = false
  let now = 0

  const nextArrival = () =>
    events.push(now + (-Math.log(1 - random()) * 1e6) / perSecond, undefined)
  const stepOf = (/** @type {Request} */ request) => /** @type {Step} */ (request.steps[request.at])

  const serve = (/** @type {Request} */ request) => {
    const { station, us } = stepOf(request)
    free[station] = (free[station] ?? 0) - 1
    events.push(now + us, request)
  }

  const enter = (/** @type {Request} */ request, isFirst = false) => {
    const { station } = stepOf(request)
    if ((free[station] ?? 0) > 0) return serve(request)
    if (isFirst) queues[station]?.unshift(request)
    else queues[station]?.push(request)
  }

  const begin = (/** @type {Request} */ request) => {
    if (!stepOf(request).isLocked) return enter(request)
    if (isLocked) return void lockQueue.push(request)
    isLocked = true
    enter(request)
  }

  const unlock = () => {
    const next = lockQueue.shift()
    isLocked = next !== undefined
    // Who has the lock keeps others waiting, so it goes before those that need none.
    if (next) enter(next, true)
  }

  /** @type {number[]} */
  const waitsUs = []
  /** @type {number[]} */
  const responsesUs = []
  /** Of requests without the lock, and with it. */
  const [cameBy, endedBy] = [
    [0, 0],
    [0, 0],
  ]
  let [arrived, ended, endedShare] = [0, 0, 0]

  const end = (/** @type {Request} */ { arrivedAt, steps }) => {
    ended++
    count(endedBy, steps)
    if (ended <= requests * SHARE_BEFORE) return
    const service = steps.reduce((sum, { us }) => sum + us, 0)
    responsesUs.push(now - arrivedAt)
    waitsUs.push(Math.max(0, now - arrivedAt - service))
  }

  nextArrival()
  while (events.size > 0) {
    const { time, value: request } = events.shift()
    now = time
    if (request === undefined) {
      const steps = stepsOf(random)
      count(cameBy, steps)
      begin({ arrivedAt: now, steps, at: 0 })
      if (++arrived < requests) nextArrival()
      else endedShare = leastShare(endedBy, cameBy)
      continue
    }
    const { station, isLocked: hadLock } = stepOf(request)
    free[station] = (free[station] ?? 0) + 1
    const next = queues[station]?.shift()
    if (next) serve(next)
    if (hadLock) unlock()
    request.at++
    if (request.at < request.steps.length) begin(request)
    else end(request)
  }
  return { waitsUs, responsesUs, endedShare }
}

/**
 * @param {number[]} kinds
 * @param {readonly Step[]} steps
 */
function count(kinds, steps) {
  const kind = steps.some(({ isLocked }) => isLocked) ? 1 : 0
  kinds[kind] = (kinds[kind] ?? 0) + 1
}

/**
 * @param {readonly number[]} ended
 * @param {readonly number[]} came
 */
function leastShare(ended, came) {
  return Math.min(...came.map((all, kind) => (all === 0 ? 1 : (ended[kind] ?? 0) / all)))
}

/**
 * @param {readonly number[]} values
 * @param {number} share such as 0.99
 */
export function quantile(values, share) {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}
