/**
 * What servers that speak the protocol of PostgreSQL may lack, with what the store does without it.
 */
const features = {
  advisoryLocks: 'advisory locks: locks are rows of a table',
  savepoints: 'savepoints: a transaction runs again after a statement that is refused',
  collations: 'collations: texts have the order of the database, which is that of code points',
  notifications: 'notifications: the log of changes is read at least ten times a second',
  transactionIds: 'ids of transactions: models with a log of changes are refused',
  weakRowLocks: '`for no key update`: rows are locked with `for update`',
  sharedRowLocks: '`for share`: locks of the store are exclusive',
  locksOfSeveralRows: 'locks of several rows by one statement: each row is locked by its own',
  logMessages: 'messages in the log of the server: a repeated request writes its record again',
  deferredKeys: 'foreign keys that wait for the commit: they are refused',
  exclusions: 'exclusion constraints: the service looks for ranges that overlap',
  schemaTransactions: 'transactions that change several tables: the store changes none',
} as const

export type ServerFeature = keyof typeof features

/** A server, as the store has found it when it opened. */
export interface ServerFeatures {
  /** What the server calls itself, such as `PostgreSQL 15.14`. */
  readonly name: string
  readonly lacks: ReadonlySet<ServerFeature>
}

/** Says once in a process what a server lacks, and what the store does about it. */
export function warnOfMissingFeatures({ name, lacks }: ServerFeatures): void {
  if (lacks.size === 0 || warned.has(name)) return
  warned.add(name)
  const texts = Array.from(lacks, (feature) => features[feature])
  process.emitWarning(`The database is ${name}, which does not have ${texts.join('; ')}.`, {
    code: 'RESOURCERY_SERVER',
  })
}

const warned = new Set<string>()
