/**
 * Finds rows by the words of their own texts. It may find others too, but leaves none out: the
 * condition of a search decides which of them fit.
 */
export type SearchIndex = SearchConditions | SearchQueries

/** How many of several terms a row has. */
export type TermQuantity = 'all' | 'any'

interface IndexedWords {
  /** The paths whose words it has, such as `title` and `address.city`. */
  readonly paths: ReadonlySet<string>
}

/** Of engines that choose by statistics whether they read the index. */
interface SearchConditions extends IndexedWords {
  readonly kind: 'conditions'
  /**
   * A condition that the index serves.
   * @param paths some of its paths
   * @param needle the parameter that has `needleOf` the term
   */
  mayOccur(alias: string, paths: readonly string[], needle: string): string
  /** Ends a subquery that the engine does not merge with the statement around it. */
  readonly fence: string
  /**
   * Holds for each row, and keeps the engine from sharing the rows of a statement among processes:
   * to begin these takes longer than to read a page.
   */
  readonly forbidsParallelism: string
}

/** Of engines without statistics: the store decides for each query whether it reads the index. */
export interface SearchQueries extends IndexedWords {
  readonly kind: 'queries'
  /** Has the index all rows now? It may not have been built to its end. */
  isComplete(): boolean
  /** Do the ids that the index keeps sort as those of the table do? */
  readonly keepsIdOrder: boolean
  /**
   * A query for the ids of rows in which these terms may occur, as `id`, which may have one several
   * times. Where a row has them for certain, `fits` is 1, otherwise 0. It has the first rows
   * without having read the others, and none where there are no terms.
   * @param needles a query for `needleOf` each term, as `needle`
   */
  ids(paths: readonly string[], needles: string, quantity: TermQuantity): string
  /** A query for a number of each of these rows, which takes less time than to find the ids. */
  numbers(paths: readonly string[], needles: string, quantity: TermQuantity): string
}
