import { setTimeout as wait } from 'node:timers/promises'
import { watchPromotion } from './promotion.mjs'

/**
 * @typedef {object} FailoverFigures
 * @property {string} failure
 * @property {number} promotedMs from the failure to the promotion of another machine
 * @property {number} commitsMs from there until a commit gets to a standby of it
 * @property {number} successMs from there to the first write that the service acknowledges
 * @property {number} leftOpen connections of the service to the former leader 6 s later
 */

/** An attempt to connect to a machine that does not answer ends after 5 s (`connectTimeoutMs`). */
const patienceMs = 6_000

/**
 * Makes another machine the leader, and waits until all is well again.
 *
 * @param {import('./cluster.mjs').Cluster} cluster
 * @param {import('./writers.mjs').Writers} writers
 * @param {import('./failures.mjs').Failure} failure
 * @returns {Promise<FailoverFigures>}
 */
export async function failOver(cluster, writers, { name, cause, mend }) {
  const leader = await cluster.leader()
  const watch = await watchPromotion(cluster.machines, leader)
  const beganAt = performance.now()
  await Promise.all([cause(cluster, leader)])
  const { promotedAt, commitsAt } = await watch.promotion()
  const successAt = await writers.successAfter(promotedAt)
  const leftOpen = await openAfter(leader, successAt + patienceMs)
  await Promise.all([mend(leader)])
  await cluster.leader()
  return {
    failure: name,
    promotedMs: promotedAt - beganAt,
    commitsMs: commitsAt - promotedAt,
    successMs: Math.max(0, successAt - commitsAt),
    leftOpen,
  }
}

/**
 * @param {import('./machine.mjs').Machine} machine
 * @param {number} deadline by `performance.now()`
 */
async function openAfter({ links }, deadline) {
  while (links.clients.openCount > 0 && performance.now() < deadline) await wait(20)
  return links.clients.openCount
}
