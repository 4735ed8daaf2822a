import { UTILIZATION } from './capacity.mjs'
import { cluster, oneProcess, workers } from './deployments.mjs'
import { percent, table, two } from './format.mjs'
import { LOADS, waitingIn } from './waiting.mjs'

const MIX = '80 % reads'

/**
 * @param {import('./document.mjs').Figures} figures
 * @param {import('./capacity-sections.mjs').Mixes} mixes
 */
export function waitingSection({ stores }, mixes) {
  const mix = mixes[MIX]
  const { 'sqlite-documents': documents, 'sqlite-tables': tables, postgres } = stores
  if (!mix) throw new Error(`There is no mix '${MIX}'.`)
  const deployments = {
    'one process, SQLite documents': oneProcess(documents.operations, mix),
    '8 workers, SQLite documents': workers(documents.operations, mix, 8),
    '8 workers, SQLite tables': workers(tables.operations, mix, 8),
    'a cluster, primary of 16 cores': cluster(postgres.operations, mix, 16),
  }
  const outcomes = Object.entries(deployments).map(
    ([name, deployment]) => /** @type {const} */ ([name, deployment, waitingIn(deployment)]),
  )
  return [
    '## How long requests wait: a simulation',
    [
      'The formulas say how much is carried, and not how long requests wait for one another.',
      `A simulation says that: requests of the mix with ${MIX} come at random (a Poisson process), each goes to one of the processes at random, and takes there what the tables say.`,
      'A write of SQLite waits for the lock of the file too, and a request of the cluster for a core of the primary.',
      'In the simulation, a write gets the lock once it is free and the process of the write has time.',
      'A real one asks for it again after a millisecond or more, and takes the other writes of its process along.',
      'The load is a share of what the formulas say if all were busy all the time (100 %).',
      'Each cell has the median and the 99th percentile of the time that requests waited, in milliseconds, without the time that they take by themselves.',
    ].join('\n'),
    table(
      ['deployment', 'requests/s at 100 %', ...LOADS.map(percent)],
      outcomes.map(([name, { fullPerSecond }, { waits }]) => [
        name,
        two(fullPerSecond),
        ...waits.map(({ p50Ms, p99Ms }) => `${two(p50Ms)}, ${two(p99Ms)}`),
      ]),
    ),
    [
      'The next table checks the bound of the formulas: at which load the 99th percentile of the time to a response is twice that at a load of 30 %, and how much is carried where 130 % come, by reads or writes, whichever are fewer.',
      `This is why the tables above stop at ${percent(UTILIZATION)}.`,
    ].join('\n'),
    table(
      ['deployment', 'p99 has doubled at', 'carries at most, of the computed 100 %'],
      outcomes.map(([name, , { doubledAt, most }]) => [
        name,
        doubledAt === undefined ? `above ${percent(LOADS.at(-1) ?? 1)}` : percent(doubledAt),
        percent(most),
      ]),
    ),
  ]
}
