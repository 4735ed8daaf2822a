import { READS } from '../../bench/costs/operations.mjs'
import { grouped, table, two } from './format.mjs'

/**
 * @typedef {import('./document.mjs').Figures} Figures
 * @typedef {import('./document.mjs').StoreName} StoreName
 * @typedef {import('../../bench/costs/measure.mjs').Cost} Cost
 */

/** @type {Readonly<Record<StoreName, string>>} */
export const STORE_NAMES = {
  memory: 'memory',
  'sqlite-documents': 'SQLite documents',
  'sqlite-tables': 'SQLite tables',
  postgres: 'PostgreSQL',
}

export const STORES = /** @type {StoreName[]} */ (Object.keys(STORE_NAMES))

/**
 * What the names of the figures mean, in the order of the page.
 *
 * @type {Readonly<Record<string, string>>}
 */
export const OPERATION_TITLES = {
  item: 'read an item',
  'not modified': 'read an item that has not changed (304)',
  list: 'list of 20',
  filtered: 'list of 20, filtered and sorted',
  include: 'list of 20 with their authors',
  search: 'search, first 20',
  create: 'create',
  'create once': 'create with `Idempotency-Key`',
  patch: 'change a field (PATCH)',
  'conditional patch': 'the same with `If-Match`',
  replace: 'replace (PUT)',
  action: 'action',
  delete: 'delete',
  'batch of 10': 'ten creates in one transaction',
  'upload 64 KiB': 'upload of 64 KiB',
  'download 64 KiB': 'download of 64 KiB',
}

const WITHOUT_WRITES = [...READS, 'download 64 KiB']

/** @param {Figures} figures */
export function costSections({ stores, ...facts }) {
  const cell = (
    /** @type {StoreName} */ store,
    /** @type {string} */ operation,
    /** @type {keyof Cost} */ figure,
    divisor = 1,
  ) => two((stores[store].operations[operation]?.[figure] ?? Number.NaN) / divisor)

  const costs = Object.entries(OPERATION_TITLES).map(([name, title]) => [
    title,
    ...STORES.map((store) => cell(store, name, 'serviceUs')),
    cell('postgres', name, 'databaseUs'),
  ])
  const events = [
    [
      'change a field, with the log of changes',
      ...STORES.map((store) => two(stores[store].event.loggedPatchUs)),
      two(stores.postgres.event.loggedPatchDatabaseUs),
    ],
    [
      'send an event of a live list to one client',
      ...STORES.map((store) => two(stores[store].event.eventUs)),
      '–',
    ],
  ]
  const writes = Object.entries(OPERATION_TITLES).filter(([name]) => !WITHOUT_WRITES.includes(name))
  const locks = writes.map(([name, title]) => [
    title,
    cell('sqlite-documents', name, 'writerUs'),
    cell('sqlite-tables', name, 'writerUs'),
    cell('sqlite-documents', name, 'writtenBytes', 1_000),
    cell('sqlite-tables', name, 'writtenBytes', 1_000),
    cell('postgres', name, 'walBytes', 1_000),
  ])
  return [
    '## What an operation costs',
    [
      'A service is limited by the processor time of its requests, so that is what each figure of the first table is: microseconds for one request.',
      'It counts all threads of the process that serves, and for PostgreSQL, in the last column, all processes of the database server.',
      'The clients are other processes, and do not count.',
    ].join('\n'),
    [
      `The figures were measured with Node.js ${facts.node} and PostgreSQL ${facts.postgres}, on ${facts.cores} cores of the model ${facts.processor}.`,
      `${grouped(facts.connections)} connections sent one request after the other about ${grouped(facts.books)} books; each figure is the median of ${facts.rounds} windows of ${facts.seconds} s.`,
      "Writes are durable (`durability: 'full'`, and `synchronous_commit` of PostgreSQL).",
      'Files are in `fileBlobs` beside SQLite, and in `postgresBlobs`.',
      'An event is one change, sent to one of twenty clients that follow the same list.',
      'For each list, `memory()` looks at all items.',
      'Use it for tests and small data.',
    ].join('\n'),
    'Your models and your machine have other figures: `node bench/costs.mjs --json=bench/figures/costs.json` in the repository measures them again, and `npm run scaling` computes this part anew.',
    table(
      [
        'operation',
        'memory',
        'SQLite documents',
        'SQLite tables',
        'PostgreSQL: service',
        'PostgreSQL: server',
      ],
      [...costs, ...events],
    ),
    [
      'A write of SQLite locks the file, and no other process writes meanwhile.',
      'Requests that come at the same time share a lock and a commit, so their part of it is shorter than that of a write that comes alone.',
      'The next table shows that part in microseconds, with the wait for the disk, and the kilobytes that a write puts on the disk: for SQLite all of them, for PostgreSQL its write-ahead log, which replicas get too.',
    ].join('\n'),
    table(
      [
        'operation',
        'lock: documents',
        'lock: tables',
        'kB: documents',
        'kB: tables',
        'kB of log: PostgreSQL',
      ],
      locks,
    ),
  ]
}
