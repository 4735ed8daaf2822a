import {
  CORES_OF_SERVICE_MACHINE,
  mixCost,
  ofCluster,
  ofMachine,
  ofProcess,
  UTILIZATION,
} from './capacity.mjs'
import { OPERATION_TITLES, STORE_NAMES, STORES } from './cost-sections.mjs'
import { percent, table, two } from './format.mjs'

/**
 * @typedef {import('./document.mjs').Figures} Figures
 * @typedef {Readonly<Record<string, import('./capacity.mjs').Mix>>} Mixes
 * @typedef {import('./document.mjs').StoreName} StoreName
 */

const CORES = [4, 8, 16, 32]
const PRIMARIES = [8, 16, 32]
const REPLICAS = [0, 2]
const CLUSTERS = 100

/**
 * @param {Figures} figures
 * @param {Mixes} mixes
 */
export function capacitySections({ stores }, mixes) {
  const names = Object.keys(mixes)
  const costs = (/** @type {StoreName} */ store) =>
    Object.values(mixes).map((mix) => mixCost(stores[store].operations, mix))
  const shared = STORES.filter((store) => store !== 'memory')
  return [
    '## What one process, one machine and one cluster carry',
    [
      'Requests come in mixes, and three of them stand for services of different kinds.',
      'The table says how many of a hundred requests are of which operation.',
    ].join('\n'),
    table(['of 100 requests', ...names], mixRows(mixes)),
    [
      `All figures below are requests a second at which what is scarce is busy for ${percent(UTILIZATION)} of the time, computed from the tables above, and rounded to two digits.`,
      'The rest is for peaks, and because requests that come at random wait for one another.',
    ].join('\n'),
    '### One process',
    `A process carries ${UTILIZATION} s, divided by the processor time of its main thread for a request and the time that this thread waits for the disk.`,
    table(
      ['store', ...names],
      STORES.map((store) => [
        STORE_NAMES[store],
        ...costs(store).map((cost) => two(ofProcess(cost))),
      ]),
    ),
    'PostgreSQL needs processors of its own beside that.',
    '### One machine',
    [
      'With as many [workers](deployment.md#several-processes) as cores, and the store on the same machine, it carries the smaller of two:',
      '',
      `- **processors**: ${UTILIZATION} s × cores, divided by the processor time of a request, in the service and in the database server, with the wait for the disk;`,
      `- **the writer**, for SQLite: ${UTILIZATION} s, divided by the share of a request in the lock of the file, where reads have none.`,
      '',
      'Where the writer is the limit, the table says so, and more cores do not help.',
    ].join('\n'),
    table(
      ['store', 'cores', ...names],
      shared.flatMap((store) =>
        CORES.map((cores) => [
          STORE_NAMES[store],
          String(cores),
          ...costs(store).map((cost) => machineCell(cost, cores)),
        ]),
      ),
    ),
    '### One cluster',
    [
      'Any number of machines of the service stand before a primary of PostgreSQL.',
      `The primary carries ${UTILIZATION} s × its cores, divided by the processor time of the database server for a request.`,
      'With replicas, all servers share the reads, and each does all writes, because a replica repeats those of the primary: the time of the reads is divided by the number of servers, and that of the writes is not.',
      `In brackets is how many machines of ${CORES_OF_SERVICE_MACHINE} cores the service needs for it: the processor time of the service for all requests, divided by ${UTILIZATION} s × ${CORES_OF_SERVICE_MACHINE}.`,
    ].join('\n'),
    table(
      ['cores of each server', 'replicas', ...names],
      PRIMARIES.flatMap((cores) =>
        REPLICAS.map((replicas) => [
          String(cores),
          String(replicas),
          ...costs('postgres').map((cost) => clusterCell(cost, { cores, replicas })),
        ]),
      ),
    ),
    `At these rates the log of the primary grows by up to ${two(logMegabytes(costs('postgres')))} MB a second with ${PRIMARIES.at(-1)} cores and no replicas; its disk and the network of each replica have to keep up with that.`,
    [
      'Set the primary up with Patroni, so that another server takes over when it fails: [Failover](postgresql.md#failover) says how.',
      'A standby that only waits for a failover takes no reads, and does not count as a replica here.',
      'A commit then waits for the standby, which takes time of the request and none of the processor.',
    ].join('\n'),
    '### A hundred clusters',
    [
      'When one primary is not enough for the writes, give each group of tenants a cluster of its own: a process for each, or one that [chooses the store](#a-store-for-each-group-of-callers).',
      `Nothing is shared between clusters, so ${CLUSTERS} of them carry ${CLUSTERS} times as much, if the tenants are spread evenly.`,
      'If the busiest cluster has twice the load of the average, they carry half of that.',
    ].join('\n'),
    table(
      [`${CLUSTERS} clusters, each with`, ...names],
      REPLICAS.map((replicas) => [
        `16 cores and ${replicas} replicas`,
        ...costs('postgres').map((cost) =>
          two(CLUSTERS * ofCluster(cost, { cores: 16, replicas }).perSecond),
        ),
      ]),
    ),
    '### What is not modelled',
    [
      '- The network, TLS and load balancers: with TLS in the process, a new connection costs more than a request.',
      '- Disks that are full, slow or shared: only the wait for commits of SQLite is in the figures.',
      '- Data that does not fit into memory: the figures are those of a small database, whose pages are all cached.',
      '- Tenants, items and times of day that are busier than others.',
      '- Requests that wait for the same item, and vacuum, backups and other work in the background.',
      '- Workers of SQLite share fewer commits with one another than connections of one process do, so the writer is busy earlier than computed.',
      '- Cores that share a processor with others: two threads of one core do less than two cores.',
      '- Your hooks, access rules, and larger items.',
    ].join('\n'),
  ]
}

/** @param {Mixes} mixes */
function mixRows(mixes) {
  const isAsked = (/** @type {string} */ operation) =>
    Object.values(mixes).some((mix) => operation in mix)
  return Object.entries(OPERATION_TITLES)
    .filter(([operation]) => isAsked(operation))
    .map(([operation, title]) => [
      title,
      ...Object.values(mixes).map((mix) => String(mix[operation] ?? '–')),
    ])
}

/**
 * @param {import('./capacity.mjs').MixCost} cost
 * @param {number} cores
 */
function machineCell(cost, cores) {
  const { perSecond, limit } = ofMachine(cost, cores)
  return limit === 'writer' ? `${two(perSecond)} (writer)` : two(perSecond)
}

/**
 * @param {import('./capacity.mjs').MixCost} cost
 * @param {{ cores: number, replicas: number }} servers
 */
function clusterCell(cost, servers) {
  const { perSecond, machines } = ofCluster(cost, servers)
  return `${two(perSecond)} (${machines})`
}

/** @param {readonly import('./capacity.mjs').MixCost[]} costs */
function logMegabytes(costs) {
  const cores = PRIMARIES.at(-1) ?? 0
  const rates = costs.map(
    (cost) => (ofCluster(cost, { cores, replicas: 0 }).perSecond * cost.walBytes) / 1e6,
  )
  return Math.max(...rates)
}
