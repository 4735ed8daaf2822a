import type { ScalarType } from '../../model/value-type.ts'
import type { DecimalNumber } from '../../query/decimal-number.ts'
import type { DatePart } from '../../query/group-plan.ts'
import type { Scalar, SortDirection, TextOperator } from '../../query/query-plan.ts'
import type { ScanOrder } from './table.ts'

/**
 * The SQL that differs between engines. It is made from descriptions and placeholders only; values
 * are bound.
 */
export interface Dialect {
  readonly binder: Binder
  quote(name: string): string
  /** The placeholder of the n-th parameter, from 1. It may occur more than once in a statement. */
  placeholder(position: number): string
  /**
   * The value at a path in a document, in the form that compares with bound values of that type;
   * NULL where it is missing.
   */
  value(document: string, names: readonly string[], type: ScalarType): string
  /** The value at a path as JSON text, which is read back exactly. */
  json(document: string, names: readonly string[]): string
  /** A date-time as text that sorts by instant, equal to `instantKey`. */
  instant(value: string): string
  /** A decimal number in a form in which equal numbers are equal, and that sorts by number. */
  decimal(value: string): string
  /** A text as a JSON string. */
  textAsJson(value: string): string
  /** The value of a parameter that `Binder.escape` made. */
  unescape(parameter: string): string
  /**
   * A text search; NULL only where the value is NULL. `operands` are the parameters that
   * `Binder.pattern` made.
   */
  text(operator: TextOperator, value: string, operands: readonly string[]): string
  /**
   * A query for the values of a list parameter. With `mixed`, the list also has values of other
   * types, which are left out.
   */
  list(parameter: string, type: ScalarType, mixed: boolean): string
  /**
   * A condition that is always true, evaluated for each row of a statement that may read many rows:
   * an engine can abort the statement there. `searched` says how long one row may take.
   */
  interruptCheck(searched: SearchScope, row: CheckedRow): string
  /**
   * The rows of a whole table with an interrupt check for ranges of them; undefined where
   * `interruptCheck` costs nothing.
   */
  readonly scanInRanges: ((table: string, alias: string, order: ScanOrder) => string) | undefined
  /** A table expression for the elements of an array in a document, with the column `value`. */
  elements(document: string, names: readonly string[], type: ScalarType): string
  /**
   * Joins each row on the left with the rows of a query that may name its columns, and with one row
   * of NULLs where there are none. The query has the column `value`.
   */
  joinValues(left: string, query: string, alias: string): string
  /** Ends a subquery whose columns the engine computes once for each row. */
  readonly keepSubquery: string
  /** How a column of numbers is summed exactly. */
  exactSum(summed: SummedValue): ExactSumSql
  /** Undefined where `exactSum` takes little more time than a sum of the engine. */
  readonly quickSum: QuickSumSql | undefined
  /** What `exactSum` needs of each row besides the value; undefined for nothing. */
  readonly unitsOf: ((value: string, kind: SummedKind) => string) | undefined
  /**
   * The part of a date or a date-time, which sorts as its text; NULL for what is none.
   * @param value in the form that compares; of a column with a type of times, its instant
   */
  datePart(value: string, type: ScalarType, part: DatePart, timeZone: string | undefined): string
  /** The text of what `datePart` returned; undefined where it is the text. */
  readonly partText: ((value: string, part: DatePart) => string) | undefined
  /** The part of a day that is text, `2024-05-01`; undefined where no column is such a text. */
  readonly partOfDay: ((day: string, part: DatePart) => string) | undefined
  /**
   * The part of a day with a number (`dayNumber`); a value of another type is the part already.
   * Undefined where no column has numbers.
   */
  readonly partOfDayNumber: ((value: string, part: DatePart) => string) | undefined
  /** A query for the values of a list parameter of texts, as `id`, and their `position`. */
  listWithPositions(parameter: string): string
  /**
   * A table of one row with the words of texts (`wordsOf`), in columns `w0`, `w1` and so on. The
   * engine computes each once, however often a condition names it; NULL has no words.
   */
  words(texts: readonly string[], alias: string): string
  /**
   * Joins the few rows of `left` with the rows that `right` has for each of them. Engines that do
   * not choose the order of a join by statistics keep this one.
   */
  joinInOrder(left: string, right: string, condition: string): string
  /**
   * Joins each of the few rows of `left` with the row that the condition finds by an index. The
   * engine checks other conditions of the statement afterwards: it could find all rows that satisfy
   * them first, for each batch of a list again.
   */
  joinByIndex(left: string, table: string, alias: string, condition: string): string
  /**
   * Joins each row of `left` with the rows of `right` whose id, in these columns, is in the result
   * of the query, which may name columns of `left`.
   */
  joinEach(left: string, right: string, id: readonly string[], query: string): string
  /**
   * Can the engine join what a list is sorted by, and choose the order of the join by statistics?
   * Otherwise it joins where indexes lead from the last of the joined tables to the list.
   */
  readonly joinsAnyOrder: boolean
  /** Joins the rows of a list with those that its relations lead to. */
  joinRelated(list: string, joined: readonly JoinedTable[]): string
  /** The same for all rows of the list, in any order: each row may be looked up. */
  joinToEach(list: string, joined: readonly JoinedTable[]): string
  /** The operand of LIMIT. */
  limit(parameter: string): string
  /** A term of ORDER BY with NULL as the smallest value, if the value can be NULL. */
  order(value: string, direction: SortDirection, isNullable: boolean): string
}

/**
 * What is summed: numbers, whole numbers, or decimal numbers in the form that compares.
 */
export type SummedKind = 'number' | 'integer' | 'decimal'

/** A column of a subquery whose values are summed. */
export interface SummedValue {
  readonly value: string
  readonly kind: SummedKind
  /** False only where each row has a value. */
  readonly isNullable: boolean
  /** The column that has `unitsOf` of the value. */
  readonly units: string
  /** The sum as text, where the engine itself sums such a column exactly. */
  readonly engineSum: string | undefined
}

/** The number of values. Engines count rows in less time. */
export function countSql({ value, isNullable }: Pick<SummedValue, 'value' | 'isNullable'>): string {
  return isNullable ? `count(${value})` : 'count(*)'
}

/** The sum of a column in a group. */
export interface ExactSumSql {
  /** Aggregates. The first is the number of values, the others are for `read`. */
  readonly columns: readonly string[]
  /** The sum that the columns after the first are. */
  read(columns: readonly unknown[]): DecimalNumber
  /** Undefined where the columns sum all values. */
  readonly rest?: {
    /** The number of values that the other columns leave out: an aggregate. */
    readonly count: string
    /** Is the value of a row one of them? */
    readonly isLeftOut: string
    /** A table of the limbs of such a value (`decimalLimbs`), with its columns. */
    limbs(alias: string): { readonly table: string; readonly index: string; readonly limb: string }
  }
}

/** Sums whole numbers, in part of the time, as long as there is nothing else among them. */
export interface QuickSumSql {
  /**
   * Aggregates of a column as it is stored: the number of values, and the sum as text; the sum is
   * NULL where it is not exact.
   */
  columns(summed: Pick<SummedValue, 'value' | 'isNullable'>): readonly [count: string, sum: string]
  /** The second column, of a sum of the engine. */
  asText(sum: string): string
  /** Is the sum of a group too large, so that the statement has failed? */
  isOverflow(error: unknown): boolean
}

/** A table of related items, with its alias. */
export interface JoinedTable {
  readonly table: string
  readonly on: string
  /** Has every row in front of it such an item? */
  readonly isCertain: boolean
}

/** A row that an interrupt check is evaluated for. */
export interface CheckedRow {
  readonly alias: string
  /** A whole number that differs for each row, and costs nothing to read. */
  readonly number?: string
  /**
   * A column of the row, where other tables are joined in front of it: an engine may evaluate a
   * condition without columns for each of their rows only.
   */
  readonly column?: string
  /** Does the statement read a few thousand rows at most, and compare their own values only? */
  readonly isOneOfFew?: boolean
}

/** The texts that a condition searches: none, those of the row, or also those of related rows. */
export type SearchScope = 'none' | 'own' | 'related'

/** Turns values into parameters. */
export interface Binder {
  scalar(value: Scalar): unknown
  /**
   * True for values that the driver would change; they are bound by `escape` and read by
   * `Dialect.unescape`.
   */
  needsEscape(value: Scalar): boolean
  escape(value: Scalar): unknown
  list(values: readonly Scalar[]): unknown
  /** The operands of a text search; their number depends on the operator only. */
  pattern(operator: TextOperator, value: string): readonly string[]
  count(limit: number): unknown
  /**
   * A number that the limit does not exceed, one of few, for engines that plan a statement without
   * its parameters; undefined where a bound tells nothing.
   */
  limitBound?(limit: number): number | undefined
}
