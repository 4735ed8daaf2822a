import type { LeasedRow } from '../background/leased-rows.ts'
import { toFieldPath } from '../query/conditions.ts'
import type { Condition, FieldSortKey, QueryPlan } from '../query/query-plan.ts'
import type { StoreReader } from '../store/store-reader.ts'
import { jobRows } from './job-rows.ts'

/** What a process has to know of a job to choose the next one. */
export interface JobChoice extends LeasedRow {
  readonly requestedBy: string
  /** In milliseconds since 1970. */
  readonly createdAtMs: number
}

/** How many jobs a look reads that no process has, and as many that one has: the oldest ones. */
const maxJobs = 1_000

const ascending = (name: string): FieldSortKey => ({ path: toFieldPath(name), direction: 'asc' })
const sort = ['createdAtMs', 'requestedBy', 'owner', 'beat'].map(ascending)

function planOf(operator: 'equal' | 'greaterThan'): QueryPlan {
  const condition: Condition = { kind: 'compare', path: toFieldPath('owner'), operator, value: '' }
  return { condition, sort, pageRange: { kind: 'offset', offset: 0, limit: maxJobs } }
}

const withoutOwner = planOf('equal')
const withOwner = planOf('greaterThan')

/**
 * The oldest jobs that no process has, and those that one has, by id. Their requests and errors,
 * which may be large, are not read: a page has the values that it is sorted by.
 */
export async function listJobChoices(reader: StoreReader): Promise<ReadonlyMap<string, JobChoice>> {
  const choices = new Map<string, JobChoice>()
  for (const plan of [withOwner, withoutOwner]) {
    const { entries } = await reader.page(jobRows.model, plan)
    for (const { id, position } of entries) {
      const [createdAtMs, requestedBy, owner, beat] = position
      choices.set(id, { createdAtMs, requestedBy, owner, beat } as JobChoice)
    }
  }
  return choices
}
