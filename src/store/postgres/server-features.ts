import type { StoreDescription } from '../store-description.ts'

/**
 * What servers that speak the protocol of PostgreSQL may lack, with what the store does without it.
 */
const features = {
  advisoryLocks: { name: 'advisory locks', instead: 'locks are rows of a table' },
  savepoints: {
    name: 'savepoints',
    instead: 'a transaction runs again after a statement that is refused',
  },
  collations: {
    name: 'collations',
    instead: 'texts have the order of the database, which is that of code points',
  },
  notifications: {
    name: 'notifications',
    instead: 'the log of changes is read at least ten times a second',
  },
  transactionIds: {
    name: 'ids of transactions',
    instead: 'models with a log of changes are refused',
  },
  weakRowLocks: { name: '`for no key update`', instead: 'rows are locked with `for update`' },
  sharedRowLocks: { name: '`for share`', instead: 'locks of the store are exclusive' },
  locksOfSeveralRows: {
    name: 'locks of several rows by one statement',
    instead: 'each row is locked by its own',
  },
  logMessages: {
    name: 'messages in the log of the server',
    instead: 'a repeated request writes its record again',
  },
  deferredKeys: { name: 'foreign keys that wait for the commit', instead: 'they are refused' },
  exclusions: {
    name: 'exclusion constraints',
    instead: 'the service looks for ranges that overlap',
  },
  schemaTransactions: {
    name: 'transactions that change several tables',
    instead: 'the store changes none',
  },
} as const

export type ServerFeature = keyof typeof features

/** A server, as the store has found it when it opened. */
export interface ServerFeatures {
  /** What the server calls itself, such as `PostgreSQL 15.14`. */
  readonly name: string
  readonly lacks: ReadonlySet<ServerFeature>
}

/** As the line says that a service prints when it listens. */
export function descriptionOf({ name, lacks }: ServerFeatures): StoreDescription {
  return { engine: name, lacks: Array.from(lacks, (feature) => features[feature].name) }
}

/** Says once in a process what a server lacks, and what the store does about it. */
export function warnOfMissingFeatures({ name, lacks }: ServerFeatures): void {
  if (lacks.size === 0 || warned.has(name)) return
  warned.add(name)
  const texts = Array.from(lacks, (feature) => {
    const { name: missing, instead } = features[feature]
    return `${missing}: ${instead}`
  })
  process.emitWarning(`The database is ${name}, which does not have ${texts.join('; ')}.`, {
    code: 'RESOURCERY_SERVER',
  })
}

const warned = new Set<string>()
