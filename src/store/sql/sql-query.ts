import { compileProbe } from './compile-condition-statements.ts'
import type { ReadStrategy } from './read-strategy.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'

/** A query of one collection with its strategy. */
export interface SqlQuery<S extends ReadStrategy> {
  readonly strategy: S
  /** Counts the rows of the index lookup, up to one beyond the limit. */
  probe(limit: number): Statement
}

export function sqlQuery<Q, S extends ReadStrategy>(prepared: PreparedQuery<Q, S>): SqlQuery<S> {
  return {
    strategy: prepared.strategy,
    probe: (limit) =>
      prepared.statement(`probe ${limit}`, (compilation, _, { lookup }) =>
        compileProbe(compilation, prepared.table, lookup!, limit + 1),
      ),
  }
}
