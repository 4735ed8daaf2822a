import type { ListQuery } from '../sql/list-query.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { StoreCall } from '../store-call.ts'
import type { StatementRunner } from './read-context.ts'

/** The part of a table whose rows are so many that nobody counts them. */
const largePart = 0.05

/**
 * How many rows indexes find for a search, up to one more than the maximum. They are not counted
 * where the engine knows by its statistics that they are many.
 */
export async function candidateCount<S extends ReadStrategy>(
  runner: StatementRunner<S>,
  query: ListQuery<S>,
  maxCount: number,
  call: StoreCall | undefined,
): Promise<number> {
  const { estimate } = query.strategy
  if (estimate && estimate !== 'unknown') {
    const row = await runner.firstRow(query.estimate(estimate), call)
    const [candidates, all] = estimate.rowsOf(row!)
    if (candidates! > maxCount && candidates! > all! * largePart) return maxCount + 1
  }
  const [count] = (await runner.firstRow(query.probe(maxCount), call)) ?? []
  return Number(count)
}
