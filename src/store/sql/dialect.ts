import type { ScalarType } from '../../model/value-type.ts'
import type { Scalar, SortDirection, TextOperator } from '../../query/query-plan.ts'

/** Where an item's JSON lies: what clients see, or what they do not. */
export type DocumentColumn = 'text' | 'hidden'

/**
 * What differs between SQL engines. Every text it returns is made from descriptions and
 * placeholders only; values are bound.
 */
export interface Dialect {
  readonly binder: Binder
  quote(name: string): string
  /** The placeholder of the n-th parameter, from 1. A text may hold the same one more than once. */
  placeholder(position: number): string
  /**
   * The value at a path in a document, as it compares with bound values of that type; NULL when it
   * is missing.
   */
  value(document: string, names: readonly string[], type: ScalarType): string
  /** The same value as JSON text, which loses nothing on its way back. */
  json(document: string, names: readonly string[]): string
  /** A date-time as text that compares as the instant does: what `instantKey` gives of it. */
  instant(value: string): string
  /** A text as JSON text. */
  textAsJson(value: string): string
  /** The value of a parameter that was bound by `escaped`. */
  unescape(parameter: string): string
  /**
   * Holds the value the text? NULL only where the value is. `operands` are the parameters bound by
   * `pattern`.
   */
  text(operator: TextOperator, value: string, operands: readonly string[]): string
  /**
   * A query for the values of a list parameter; `mixed` when it also holds values of other types,
   * which are left out.
   */
  list(parameter: string, type: ScalarType, mixed: boolean): string
  /**
   * A condition that is always true, for statements that may look at many rows: engines that are
   * told so break them off there. `searched` tells how long one row may take, and `row` is its
   * alias.
   */
  interruptCheck(searched: SearchScope, row: string): string
  /** A table expression for the elements of an array in a document, with one column, `value`. */
  elements(document: string, names: readonly string[], type: ScalarType): string
  /** The parameter of a LIMIT. */
  limit(parameter: string): string
  /** A term of ORDER BY, with NULL as the smallest value. */
  order(value: string, direction: SortDirection): string
}

/**
 * Which texts a condition searches: those of a row, which may be long, or of others that it leads
 * to, too.
 */
export type SearchScope = 'none' | 'own' | 'related'

/** How values become parameters. */
export interface Binder {
  scalar(value: Scalar): unknown
  /** What the driver would not carry unharmed is bound in another form, see `unescaped`. */
  needsEscape(value: Scalar): boolean
  escape(value: Scalar): unknown
  list(values: readonly Scalar[]): unknown
  /** What a text search compares with: for each operator always the same number of texts. */
  pattern(operator: TextOperator, value: string): readonly string[]
  count(limit: number): unknown
}
