import { RegistrationError } from '../../model/registration-error.ts'
import type { StatementResult } from '../tables/sql-database.ts'
import { messageConfirmation } from './confirmations.ts'
import { PostgresError } from './postgres-error.ts'
import type { ServerFeature, ServerFeatures } from './server-features.ts'

/**
 * Runs statements in a transaction of their own, which is rolled back.
 * @throws the error of the statement that the server refuses
 */
export type Probe = (statements: readonly string[]) => Promise<readonly StatementResult[]>

/** A statement that runs only where the server has the feature, and what its last row says. */
interface FeatureProbe {
  readonly feature: ServerFeature
  readonly sql: readonly string[]
  /** Does it have the feature, by the first value of the last statement? Default: yes. */
  holds?(value: unknown): boolean
}

/** The first number is this program's, and no lock of the store has the second one. */
const probeLock = 'pg_try_advisory_xact_lock_shared(1919251317, 2)'

/** These leave nothing behind, so that one round trip can have all of them. */
const quickProbes: readonly FeatureProbe[] = [
  // Some servers accept such a lock, and lock nothing.
  {
    feature: 'advisoryLocks',
    sql: [
      `select ${probeLock}`,
      "select exists (select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and granted)",
    ],
    holds: (value) => value === 't',
  },
  {
    feature: 'collations',
    sql: [`select ('a' collate "C") > 'B'`],
    holds: (value) => value === 't',
  },
  { feature: 'notifications', sql: ["select pg_notify('resourcery_probe', '')"] },
  {
    feature: 'transactionIds',
    sql: [
      'select pg_snapshot_xmin(pg_current_snapshot())::text, pg_current_xact_id_if_assigned()::text',
    ],
  },
  { feature: 'weakRowLocks', sql: ['select 1 from (select 1) as probe for no key update'] },
  { feature: 'sharedRowLocks', sql: ['select 1 from (select 1) as probe for share'] },
  // Over several servers, each of which locks its own rows.
  {
    feature: 'locksOfSeveralRows',
    sql: ["select not exists (select 1 from pg_extension where extname = 'citus')"],
    holds: (value) => value === 't',
  },
  { feature: 'logMessages', sql: [messageConfirmation.sql] },
  { feature: 'deferredKeys', sql: ['set constraints all deferred'] },
]

const [one, other] = ['resourcery_probe_one', 'resourcery_probe_other']

/** These create tables, which takes a server longer, and more rights. */
const tableProbes: readonly FeatureProbe[] = [
  {
    feature: 'schemaTransactions',
    sql: [`create table ${one} (id text primary key)`, `create table ${other} (id text)`],
  },
  {
    feature: 'deferredKeys',
    sql: [
      `create table ${one} (id text primary key)`,
      `create table ${other} (id text references ${one} deferrable initially deferred)`,
    ],
  },
  {
    feature: 'exclusions',
    sql: [
      `create table ${one} (first integer, last integer)`,
      `alter table ${one} add exclude using gist (int4range(first, last) with &&)`,
    ],
  },
]

/**
 * Finds out what the server can do, by statements that need it: names and versions of servers say
 * little. A server that refuses none of them is asked twice at most.
 *
 * @param createsTables may the store create tables? Otherwise it needs no feature of these.
 * @throws RegistrationError for a server that cannot compare texts as the store has to
 */
export async function probeFeatures(probe: Probe, createsTables: boolean): Promise<ServerFeatures> {
  const name = nameIn(await probe(['select version()']))
  const all = await attempt(probe, [
    'savepoint probe',
    ...quickProbes.flatMap(({ sql }) => sql),
    'rollback to savepoint probe',
  ])
  if (all && lackedBy(all.slice(1, -1)).length === 0) return { name, lacks: new Set() }
  const probes = [
    { feature: 'savepoints', sql: ['savepoint probe', 'release savepoint probe'] },
    ...quickProbes,
    ...(createsTables ? tableProbes : []),
  ] satisfies readonly FeatureProbe[]
  const lacks = new Set<ServerFeature>()
  for (const each of probes) if (!(await hasFeature(probe, each))) lacks.add(each.feature)
  // What refuses a part of PostgreSQL is not asked with rows, which a table would have to have.
  if (lacks.has('savepoints')) lacks.add('locksOfSeveralRows')
  if (lacks.has('collations')) await requireCodePoints(probe, name)
  return { name, lacks }
}

/** The first words of `version()`, without the compiler. */
function nameIn([version]: readonly StatementResult[]): string {
  const text = String(version!.rows[0]![0])
  return /^\S+( [^\s,(]*\d[^\s,(]*)?/.exec(text)?.[0] ?? text
}

function lackedBy(results: readonly StatementResult[]): readonly ServerFeature[] {
  let end = 0
  return quickProbes.flatMap(({ feature, sql, holds }) => {
    end += sql.length
    return holds && !holds(firstValue(results[end - 1])) ? [feature] : []
  })
}

async function hasFeature(probe: Probe, { sql, holds }: FeatureProbe): Promise<boolean> {
  const results = await attempt(probe, sql)
  if (!results) return false
  return holds ? holds(firstValue(results.at(-1))) : true
}

async function requireCodePoints(probe: Probe, name: string): Promise<void> {
  const results = await attempt(probe, ["select 'a' > 'B' and 'é' > 'z'"])
  if (results && firstValue(results[0]) === 't') return
  throw new RegistrationError(
    `The database is ${name}, which has no collation "C", and does not compare text by code point, as lists need it. Use a database with the collation C.`,
  )
}

/** Undefined if the server refuses one of them. */
async function attempt(
  probe: Probe,
  statements: readonly string[],
): Promise<readonly StatementResult[] | undefined> {
  try {
    return await probe(statements)
  } catch (error) {
    if (isRefusal(error)) return undefined
    throw error
  }
}

/** Classes 0A and 42: what the server does not have, does not know, or does not allow. */
function isRefusal(error: unknown): boolean {
  const state = error instanceof PostgresError ? error.sqlState : causeState(error)
  return state !== undefined && /^(0A|42)/.test(state)
}

function causeState(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  return typeof code === 'string' ? code : undefined
}

function firstValue(result: StatementResult | undefined): unknown {
  return result?.rows[0]?.[0]
}
