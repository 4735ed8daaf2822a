import type { Condition } from '../../query/query-plan.ts'
import type { Access } from '../sql/bounded.ts'
import { compileProbe } from '../sql/compile-plan.ts'
import type { Asked, Statement } from './asking.ts'

/** What is asked of one collection, of which it is known how much there is to look at. */
export interface Question {
  readonly kind: Access['kind']
  /** How many rows there are to gather at most. */
  readonly most: number
  /** Counts the rows to gather, but not far beyond the limit. */
  probe(limit: number): Statement
}

export function questionOf<Q>({ kind, most, table, statement }: Asked<Q>): Question {
  return {
    kind,
    most,
    probe: (limit) =>
      statement(`probe ${limit}`, (parts, _, access) =>
        compileProbe(parts, table, gatherBy(access).gather!, limit + 1),
      ),
  }
}

export function gatherBy(access: Access): { gather?: Condition } {
  return access.kind === 'gather' ? { gather: access.part } : {}
}
