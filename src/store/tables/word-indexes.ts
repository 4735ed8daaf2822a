import type { TableName } from '../../model/storage.ts'
import type { PlanStep } from '../store-plan.ts'
import type { RelationalLayout } from './relational-layout.ts'
import type { SqlSession } from './sql-database.ts'

/** The SQL of indexes over the words of texts. */
export interface WordIndexes {
  /** So many texts an index can have. */
  readonly maxTexts: number
  /** Differs with how texts become words: an index has those of one version. */
  version(): string
  /** Creates what computes words in the schema of a table, unless it is there. */
  prepare(schema: string | undefined): readonly string[]
  /**
   * Creates one index with a column for each text. `option` is a word of the engine, such as
   * `concurrently`.
   */
  create(
    table: TableName,
    name: string,
    texts: readonly string[],
    option: string,
  ): readonly string[]
  /** A condition on one of the texts that the index serves for a needle (`needleOf`). */
  mayOccur(schema: string | undefined, text: string, needle: string): string
  /** As in `SearchIndex`. */
  readonly fence: string
  /** As in `SearchIndex`. */
  readonly forbidsParallelism: string
}

/** How an engine keeps indexes of words. */
export type WordIndexing =
  /** As steps of the plan of tables. */
  | { readonly kind: 'withTables'; readonly indexes: WordIndexes }
  /** What a start does to those that it makes after the tables. */
  | {
      readonly kind: 'afterTables'
      steps(session: SqlSession, layouts: readonly RelationalLayout[]): Promise<readonly PlanStep[]>
    }
