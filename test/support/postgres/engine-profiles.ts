/**
 * What other servers that speak the protocol of PostgreSQL do differently, by their documentation.
 * None of them was tried: a profile says what the double imitates.
 */
export interface EngineProfile {
  readonly name: EngineName
  /** What `version()` says. */
  readonly version: string
  /** Statements with this text are refused. */
  readonly refused: readonly RefusedText[]
  /** Texts that mean something else there, with what PostgreSQL has for it. */
  readonly replaced: readonly (readonly [RegExp, string])[]
  /** Which share of the commits conflicts with others (40001), whatever they have changed. */
  readonly conflictShare: number
  /** The definition of databases whose texts compare as those of the engine. Default: none. */
  readonly databaseOptions?: string
  /** What `postgres()` needs there. */
  readonly options: { readonly foreignKeys?: false; readonly manage?: false }
}

export interface RefusedText {
  readonly text: RegExp
  readonly sqlState: string
  readonly message: string
}

export type EngineName = 'cockroachdb' | 'yugabytedb' | 'citus' | 'aurora-dsql'

const unsupported = (text: RegExp, what: string, sqlState = '0A000'): RefusedText => ({
  text,
  sqlState,
  message: `${what}: not supported`,
})

const notifications = unsupported(/^\s*listen\b|\bpg_notify\s*\(/i, 'LISTEN and NOTIFY')
const exclusions = unsupported(/\bexclude using gist\b/i, 'exclusion constraints')
const transactionIds = unsupported(
  /\bpg_current_(xact_id|snapshot)|\bpg_snapshot_/i,
  'ids of transactions',
  '42883',
)

export const engineProfiles: Readonly<Record<EngineName, EngineProfile>> = {
  /**
   * cockroachlabs.com/docs: "PostgreSQL Compatibility" and "Unsupported PostgreSQL features"
   * (v26.2). Advisory locks are accepted, and lock nothing. Foreign keys cannot be deferred, and
   * there is no LISTEN. "Transaction Retry Error Reference": 40001 also at COMMIT.
   */
  cockroachdb: {
    name: 'cockroachdb',
    version: 'CockroachDB CCL v26.2.0 (imitated)',
    refused: [
      notifications,
      exclusions,
      transactionIds,
      unsupported(/\bdeferrable\b|\bset constraints\b/i, 'deferrable constraints'),
    ],
    replaced: [
      [/\bpg_try_advisory_xact_lock(?:_shared)?\(/g, 'int4ne('],
      [/\bpg_advisory_xact_lock(?:_shared)?\((?=-?\d+, )/g, 'int4larger('],
      [/\bpg_advisory_xact_lock(?:_shared)?\(/g, 'int8abs('],
    ],
    conflictShare: 0.1,
    options: { foreignKeys: false },
  },
  /**
   * docs.yugabyte.com: "PostgreSQL compatibility" lists LOCK TABLE, exclusion constraints and GiST
   * indexes, and LISTEN. "Explicit locking": before 2.25.1 there are no advisory locks. There are
   * no ids of transactions, because clocks order them.
   */
  yugabytedb: {
    name: 'yugabytedb',
    version: 'PostgreSQL 15.2-YB-2024.2.3.0-b1 (imitated)',
    refused: [
      notifications,
      exclusions,
      transactionIds,
      unsupported(/\bpg_(?:try_)?advisory_/i, 'advisory locks'),
      unsupported(/^\s*lock table\b/i, 'LOCK TABLE'),
    ],
    replaced: [],
    conflictShare: 0.05,
    options: {},
  },
  /**
   * docs.citusdata.com: "SQL Support and Workarounds". `for update` locks the rows of one shard
   * only, and keys lead to other tables only along the column that distributes both.
   */
  citus: {
    name: 'citus',
    version: 'PostgreSQL 16.4 with Citus 13.0 (imitated)',
    refused: [
      unsupported(
        /\bin \([^)]*\$\d.*\bfor (?:no key )?update\b|= any\b.*\bfor (?:no key )?update\b/is,
        'FOR UPDATE over several shards',
      ),
      unsupported(/\bforeign key\b/i, 'foreign keys between tables that are not colocated'),
    ],
    replaced: [[/extname = 'citus'/g, "extname = 'plpgsql'"]],
    conflictShare: 0,
    options: { foreignKeys: false },
  },
  /**
   * docs.aws.amazon.com: "Unsupported PostgreSQL features in Aurora DSQL" lists foreign keys,
   * exclusion constraints, SAVEPOINT, TRUNCATE, triggers, temporary tables, PL/pgSQL and COLLATE;
   * databases have the collation C. "Supported SQL": FOR UPDATE only by the whole primary key.
   * "Concurrency control": 40001 at COMMIT (OC000, OC001). "DDL and distributed transactions": one
   * statement of DDL in a transaction.
   */
  'aurora-dsql': {
    name: 'aurora-dsql',
    version: 'PostgreSQL 16 (Aurora DSQL, imitated)',
    refused: [
      notifications,
      exclusions,
      transactionIds,
      unsupported(/\bsavepoint\b/i, 'SAVEPOINT'),
      unsupported(/\bpg_(?:try_)?advisory_/i, 'advisory locks', '42883'),
      unsupported(/\bcollate\b/i, 'COLLATE'),
      unsupported(/^\s*(?:create|alter|drop|truncate|lock)\b/i, 'DDL beside other statements'),
      unsupported(/\bset constraints\b/i, 'SET CONSTRAINTS'),
      unsupported(/\bdo \$\$/i, 'PL/pgSQL'),
      unsupported(/\bfor (?:no key update|share|key share)\b/i, 'FOR NO KEY UPDATE'),
      unsupported(
        /\bin \([^)]*\$\d.*\bfor update\b|= any\b.*\bfor update\b/is,
        'locking clauses without equality predicates on the key',
      ),
    ],
    replaced: [],
    conflictShare: 0.1,
    databaseOptions: "locale_provider libc locale 'C'",
    options: { manage: false },
  },
}
