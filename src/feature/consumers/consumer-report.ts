import { processOf } from '../../background/leased-rows.ts'
import type { ChangeLog } from '../../store/change-log.ts'
import type { Store } from '../../store/store.ts'
import { type AsideChange, listAside } from './aside-table.ts'
import type { Consumer } from './consumer-options.ts'
import { type ConsumerRow, consumerRows } from './consumer-table.ts'

/** A change that a consumer has put aside. */
export interface ReportedAside {
  readonly kind: 'create' | 'update' | 'delete'
  /** The name of the model. */
  readonly model: string
  readonly id: string
  /** When it was written. */
  readonly time: Date
  /** How often it failed; 0 for one that waits behind another change of the item. */
  readonly attempts: number
  /** What failed last; undefined for one that waits. */
  readonly error: string | undefined
}

/** How far a consumer is. */
export interface ConsumerReport {
  readonly name: string
  /** The name of the store, of a router with several. */
  readonly store?: string
  /** Is it registered on the router that was asked? */
  readonly isRegistered: boolean
  /** The host and the id of the process that runs it; undefined if none does. */
  readonly owner: string | undefined
  /** How many changes it has to do still; at most 10 000 are counted. */
  readonly pendingCount: number
  /** When the first of them was written; undefined if there is none. */
  readonly pendingSince: Date | undefined
  /** Are changes lost that it has not done, because the log does not keep them any more? */
  readonly hasLostChanges: boolean
  /** What failed last; undefined if nothing has. */
  readonly lastError: { readonly message: string; readonly time: Date } | undefined
  /** The changes that it has put aside, in their order. */
  readonly aside: readonly ReportedAside[]
}

const maxCounted = 10_000
const pageSize = 500

/** Every consumer that ever ran over the store, in the order of their names. */
export async function reportConsumers(
  store: Store,
  changes: ChangeLog,
  consumers: readonly Consumer[],
): Promise<readonly ConsumerReport[]> {
  const rows = await consumerRows.list(store)
  const reports: ConsumerReport[] = []
  for (const name of [...rows.keys()].toSorted()) {
    const row = rows.get(name)!
    const consumer = consumers.find((candidate) => candidate.name === name)
    const aside = await listAside(store, name)
    reports.push({
      name,
      isRegistered: consumer !== undefined,
      owner: processOf(row),
      ...(await pendingOf(changes, row, consumer)),
      lastError:
        row.error === '' ? undefined : { message: row.error, time: new Date(row.errorAtMs) },
      aside: aside.map(reportedAside),
    })
  }
  return reports
}

function reportedAside({ entry, attempts, error }: AsideChange): ReportedAside {
  const { kind, model, id, timeMs } = entry
  return { kind, model, id, time: new Date(timeMs), attempts, error: error || undefined }
}

type Pending = Pick<ConsumerReport, 'pendingCount' | 'pendingSince' | 'hasLostChanges'>

async function pendingOf(
  changes: ChangeLog,
  { position }: ConsumerRow,
  consumer: Consumer | undefined,
): Promise<Pending> {
  const names = consumer && new Set(consumer.options.models.map(({ modelName }) => modelName))
  let after = position === '' ? undefined : position
  let hasLostChanges = false
  let pendingCount = 0
  let firstMs: number | undefined
  for (;;) {
    const read = await changes.read(after, pageSize)
    if (read.kind !== 'changes') {
      if (hasLostChanges) break
      hasLostChanges = true
      after = undefined
      continue
    }
    for (const { model, timeMs } of read.entries) {
      if (names && !names.has(model)) continue
      pendingCount++
      firstMs ??= timeMs
    }
    after = read.next
    if (read.isEnd || pendingCount >= maxCounted) break
  }
  return {
    pendingCount: Math.min(pendingCount, maxCounted),
    pendingSince: firstMs === undefined ? undefined : new Date(firstMs),
    hasLostChanges,
  }
}
