// How many requests a second processes, machines and clusters carry, by what one request costs.

import { READS } from '../../bench/costs/operations.mjs'

/**
 * @typedef {import('../../bench/costs/measure.mjs').Cost} Cost
 * @typedef {Readonly<Record<string, number>>} Mix operations and their shares of a hundred
 *
 * @typedef {object} MixCost of a request of the mix, on average
 * @property {number} serviceUs
 * @property {number} mainThreadUs
 * @property {number} writerUs
 * @property {number} diskUs
 * @property {number} databaseUs
 * @property {number} writeDatabaseUs of it, for requests that write
 * @property {number} walBytes
 *
 * @typedef {{ perSecond: number, limit: 'processors' | 'writer' }} Capacity
 */

/** How busy what is scarce may be. Above, requests wait for one another. */
export const UTILIZATION = 0.6
export const CORES_OF_SERVICE_MACHINE = 8

/**
 * @param {Readonly<Record<string, Cost>>} operations
 * @param {Mix} mix
 * @returns {MixCost}
 */
export function mixCost(operations, mix) {
  const sum = Object.values(mix).reduce((total, share) => total + share, 0)
  const total = (/** @type {keyof Cost} */ name, isCounted = (/** @type {string} */ _) => true) =>
    Object.entries(mix).reduce((all, [operation, share]) => {
      const cost = operations[operation]
      if (!cost) throw new Error(`There is no figure of the operation '${operation}'.`)
      return isCounted(operation) ? all + (cost[name] * share) / sum : all
    }, 0)
  return {
    serviceUs: total('serviceUs'),
    mainThreadUs: total('mainThreadUs'),
    writerUs: total('writerUs'),
    diskUs: total('diskUs'),
    databaseUs: total('databaseUs'),
    writeDatabaseUs: total('databaseUs', (operation) => !READS.includes(operation)),
    walBytes: total('walBytes'),
  }
}

/**
 * One process, on a machine with processors to spare.
 *
 * @param {MixCost} cost
 * @param {number} [utilization]
 */
export function ofProcess({ mainThreadUs, diskUs }, utilization = UTILIZATION) {
  return (utilization * 1e6) / (mainThreadUs + diskUs)
}

/**
 * As many workers as cores, with the store on the same machine.
 *
 * @param {MixCost} cost
 * @param {number} cores
 * @param {number} [utilization]
 * @returns {Capacity}
 */
export function ofMachine(cost, cores, utilization = UTILIZATION) {
  const { serviceUs, diskUs, databaseUs, writerUs } = cost
  const byProcessors = (utilization * cores * 1e6) / (serviceUs + diskUs + databaseUs)
  const byWriter = (utilization * 1e6) / writerUs
  return byWriter < byProcessors
    ? { perSecond: byWriter, limit: 'writer' }
    : { perSecond: byProcessors, limit: 'processors' }
}

/**
 * Service machines before a primary of PostgreSQL. The primary and its replicas share the reads,
 * and each of them does all writes: a replica repeats them.
 *
 * @param {MixCost} cost
 * @param {{ cores: number, replicas: number }} servers cores of each server of PostgreSQL
 * @param {number} [utilization]
 */
export function ofCluster(cost, { cores, replicas }, utilization = UTILIZATION) {
  const { serviceUs, databaseUs, writeDatabaseUs } = cost
  const perServerUs = writeDatabaseUs + (databaseUs - writeDatabaseUs) / (replicas + 1)
  const perSecond = (utilization * cores * 1e6) / perServerUs
  const machines = Math.ceil(
    (perSecond * serviceUs) / (UTILIZATION * CORES_OF_SERVICE_MACHINE * 1e6),
  )
  return { perSecond, machines }
}
