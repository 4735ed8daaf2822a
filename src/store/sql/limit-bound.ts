import type { PageRange } from '../../query/query-plan.ts'
import type { Binder } from './dialect.ts'

/** The bound of a limit that the SQL of a plan contains, if any. */
export function limitBound(binder: Binder, pageRange: PageRange): number | undefined {
  const offset = pageRange.kind === 'offset' ? pageRange.offset : 0
  return binder.limitBound?.(offset + pageRange.limit)
}
