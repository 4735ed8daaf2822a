/**
 * @typedef {object} Failure something that makes another machine the leader
 * @property {string} name
 * @property {(cluster: import('./cluster.mjs').Cluster, leader: Machine) => unknown} cause
 * @property {(leader: Machine) => unknown} mend
 */

/** @typedef {import('./machine.mjs').Machine} Machine */

/** @type {readonly Failure[]} */
export const failures = [
  { name: 'kill -9', cause: (_, leader) => leader.killPostgres(), mend: () => {} },
  { name: 'switchover', cause: (cluster) => cluster.switchOver(), mend: () => {} },
  {
    name: 'SIGSTOP',
    cause: (_, leader) => leader.freeze(),
    mend: (leader) => leader.reset(),
  },
  {
    name: 'cut link',
    cause: (_, leader) => leader.cutLinks(),
    mend: (leader) => leader.mendLinks(),
  },
]
