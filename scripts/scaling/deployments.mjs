// Deployments as the simulation sees them: what serves, and the steps of a request.

import { chooser } from '../../bench/harness/random.mjs'
import { CORES_OF_SERVICE_MACHINE, mixCost, ofCluster, ofMachine, ofProcess } from './capacity.mjs'

/**
 * @typedef {import('./capacity.mjs').Cost} Cost
 * @typedef {import('./capacity.mjs').Mix} Mix
 * @typedef {import('./simulate.mjs').Step} Step
 *
 * @typedef {object} Deployment
 * @property {number} fullPerSecond what it carries by the formulas, if it were always busy
 * @property {readonly number[]} stations
 * @property {(random: () => number) => readonly Step[]} stepsOf
 *
 * @typedef {Readonly<Record<string, Cost>>} Costs
 */

/**
 * @param {Costs} costs
 * @param {Mix} mix
 * @returns {Deployment}
 */
export function oneProcess(costs, mix) {
  return {
    fullPerSecond: ofProcess(mixCost(costs, mix), 1),
    stations: [1],
    stepsOf: steps(costs, mix, ({ mainThreadUs, diskUs }) => [
      { station: 0, us: mainThreadUs + diskUs },
    ]),
  }
}

/**
 * Workers over one SQLite file: a write needs its worker and the lock of the file.
 *
 * @param {Costs} costs
 * @param {Mix} mix
 * @param {number} cores
 * @returns {Deployment}
 */
export function workers(costs, mix, cores) {
  return {
    fullPerSecond: ofMachine(mixCost(costs, mix), cores, 1).perSecond,
    stations: Array.from({ length: cores }, () => 1),
    stepsOf: steps(costs, mix, ({ serviceUs, diskUs, writerUs }, random) => {
      const station = Math.floor(random() * cores)
      const us = Math.max(0, serviceUs + diskUs - writerUs)
      const before = { station, us }
      return writerUs === 0 ? [before] : [before, { station, us: writerUs, isLocked: true }]
    }),
  }
}

/**
 * Machines of the service, as many as it takes, before a primary of PostgreSQL: half of the work
 * of the service comes before that of the database, and half after it.
 *
 * @param {Costs} costs
 * @param {Mix} mix
 * @param {number} cores of the primary
 * @returns {Deployment}
 */
export function cluster(costs, mix, cores) {
  const { perSecond, machines } = ofCluster(mixCost(costs, mix), { cores, replicas: 0 }, 1)
  const processes = machines * CORES_OF_SERVICE_MACHINE
  return {
    fullPerSecond: perSecond,
    stations: [...Array.from({ length: processes }, () => 1), cores],
    stepsOf: steps(costs, mix, ({ serviceUs, databaseUs }, random) => {
      const station = Math.floor(random() * processes)
      const half = { station, us: serviceUs / 2 }
      return [half, { station: processes, us: databaseUs }, half]
    }),
  }
}

/**
 * @param {Costs} costs
 * @param {Mix} mix
 * @param {(cost: Cost, random: () => number) => readonly Step[]} stepsOf
 * @returns {Deployment['stepsOf']}
 */
function steps(costs, mix, stepsOf) {
  let current = () => 0
  const choose = chooser(() => current(), mix)
  return (random) => {
    current = random
    return stepsOf(/** @type {Cost} */ (costs[choose()]), random)
  }
}
