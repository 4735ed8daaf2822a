import type { Capability, Engine } from '../tables/engine.ts'
import { slotLocking, slotLocks } from './lock-slots.ts'
import type { ServerFeature, ServerFeatures } from './server-features.ts'

/** What an engine does in place of a feature that its server lacks. */
const substitutes: Readonly<Partial<Record<ServerFeature, Partial<Engine>>>> = {
  advisoryLocks: slotLocking,
  savepoints: { hasSavepoints: false },
  weakRowLocks: { lockRows: ' for update' },
  locksOfSeveralRows: { locksSeveralRows: false },
  deferredKeys: { checkDeferred: '' },
  exclusions: { exclusions: undefined },
  transactionIds: { capture: undefined },
  logMessages: { confirmation: 'writeAgain' },
}

interface Need {
  readonly capability: Capability
  readonly feature: ServerFeature
  readonly text: string
}

/** What has no substitute. */
const needs: readonly Need[] = [
  {
    capability: 'changesTables',
    feature: 'schemaTransactions',
    text: "cannot change several tables in one transaction, as a start does. Create the tables yourself, and set 'manage: false'.",
  },
  {
    capability: 'addsForeignKeys',
    feature: 'deferredKeys',
    text: "does not have foreign keys that wait for the commit (`deferrable initially deferred`), which relations need. Set 'foreignKeys: false'; then nothing but the service keeps relations whole.",
  },
  {
    capability: 'logsChanges',
    feature: 'transactionIds',
    text: 'does not have ids of transactions and snapshots (`pg_current_xact_id`, `pg_current_snapshot`), by which the log of changes has its order. Remove what needs the log, such as the option `changes` of models.',
  },
]

/** The engine as it can be on a server. */
export function adaptEngine(engine: Engine, { name, lacks }: ServerFeatures): Engine {
  const refusals = needs
    .filter(({ feature }) => lacks.has(feature))
    .map(({ capability, text }) => [capability, `The database is ${name}, which ${text}`])
  return Object.assign(
    { ...engine },
    ...Array.from(lacks, (feature) => substitutes[feature]),
    lacks.has('advisoryLocks') && { locks: slotLocks(lacks) },
    refusals.length > 0 && { refusals: Object.fromEntries(refusals) },
  )
}
