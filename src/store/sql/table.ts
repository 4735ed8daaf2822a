import type {
  ModelDescription,
  ToManyField,
  ToOneField,
  ValueField,
} from '../../model/model-description.ts'
import type { SortDirection } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Row } from './rows.ts'
import type { SearchIndex } from './search-index.ts'

/** A field with a column of its own. */
export interface Column {
  readonly field: ValueField | ToOneField
  /** Quoted. */
  readonly sql: string
  /** False allows conditions without a NULL branch, which indexes can serve. */
  readonly isNullable: boolean
  readonly form: ColumnForm
  /** Does an index have the values as they compare, where the column keeps another form? */
  readonly isIndexedByValue?: boolean
}

/**
 * What a column keeps of its field: a copy of the value in a document, in the form that compares,
 * or the value itself.
 */
type ColumnForm = { readonly kind: 'copy' } | NativeForm

/**
 * Conditions that bound a range of the column itself, and hold wherever `value` is not before the
 * operand, or not after it: an index has the columns, and not the values that compare.
 */
export interface ColumnRange {
  readonly from: RangeEnd
  readonly until: RangeEnd
}

/** One end of a range. */
export interface RangeEnd {
  /** What the condition needs of the operand, to be computed once. */
  bounds(operand: string): readonly string[]
  holds(column: string, bounds: readonly string[]): string
}

/** A condition on the column, for an operand that costs nothing to repeat. */
export function rangeEndSql(end: RangeEnd, column: string, operand: string): string {
  return end.holds(column, end.bounds(operand))
}

/** A column of an ordinary table. Its type may be another than that of the values of the field. */
export interface NativeForm {
  readonly kind: 'native'
  /** The column in the form that compares. */
  value(column: string): string
  /** A bound value in the form that compares with the column. */
  operand(parameter: string): string
  /**
   * What `value` returned, or the values of a row, in the form that sorts; undefined where they
   * sort as they are.
   */
  ordered?(values: readonly string[]): readonly string[]
  /** The values of the row that `operand` makes; undefined where it makes a single value. */
  operands?(parameter: string): readonly string[]
  /**
   * What `value` returned, as clients see it, for text search.
   * @param parts the values of a row
   */
  text(value: string, parts?: readonly string[]): string
  /** What `value` returned, as a number or as JSON text, so that it is read back exactly. */
  lossless(value: string, parts?: readonly string[]): string
  /**
   * What `value` returned, as a number or as JSON text, where clients see it in another form than
   * `lossless`.
   */
  json?(value: string): string
  /** What `lossless` returned, as it is bound; undefined where `operand` reads it back. */
  position?(parameter: string): string
  /** Undefined where an index of the column has the values that compare. */
  readonly columnRange?: ColumnRange | undefined
  /**
   * A range of all values that are not NULL; undefined where the engine makes one of NOT NULL, also
   * of expressions.
   */
  isPresent?(value: string): string
  /**
   * Is the column a date-time of UTC that begins with its day, as most are? Undefined where `value`
   * says that as quickly.
   */
  readonly beginsWithDay?: ((column: string) => string) | undefined
  /**
   * The day of such a date-time, as its number (`partOfDayNumber` of the dialect); NULL for others.
   * It takes less time to group by numbers than by texts.
   */
  readonly dayNumber?: ((column: string) => string) | undefined
  /** What `value` returned, as an instant, where the engine has several types of times. */
  instant?(value: string): string
  /** The sum of what `value` returned, as text, where the engine sums it exactly. */
  exactSum?(value: string): string
  /** Is it a value that clients see as null? Undefined where they see each value. */
  isUnshown?(value: string): string
}

/** Is the order of the values that of their column, so that an index of the column has it? */
export function sortsAsStored(form: Column['form']): boolean {
  return form.kind === 'copy' || (form.value('column') === 'column' && form.ordered === undefined)
}

/** Does an index that begins with the column, or with its values, have them in order? */
export function hasIndexOrder({ form, isIndexedByValue = false }: Column): boolean {
  return sortsAsStored(form) || isIndexedByValue
}

/** Where the JSON of a field is: a column, and the names that lead to the value in it. */
interface DocumentSource {
  /** Quoted. */
  readonly column: string
  readonly names: readonly string[]
  /** The column as a document, if it has another type. */
  document?(column: string): string
}

/** The column of a document from which another column has its value. */
export type DocumentColumn = 'text' | 'hidden'

/** A column that each write sets. Generated columns follow the documents by themselves. */
export interface WrittenColumn {
  /** Quoted. */
  readonly sql: string
  /** An update names such a column only where it changes, because that writes its indexes. */
  readonly isIndexed: boolean
  readonly source: DocumentColumn
  /** The value of the column in a document. */
  valueIn(document: string): string
}

/**
 * The order of an index: by its keys, then by the id (`idDirection`). Read backwards, the reverse.
 */
export interface IndexOrder {
  readonly keys: readonly { readonly column: Column; readonly direction: SortDirection }[]
}

/** The table of a to-many relation. */
export interface JoinTable {
  readonly field: ToManyField
  /** Quoted, as the columns. */
  readonly sql: string
  readonly owner: string
  readonly target: string
}

/**
 * A column with another value in each row: a whole number, or a text in the order of code points.
 */
export interface ScanOrder {
  /** Quoted. */
  readonly sql: string
  readonly kind: 'number' | 'text'
}

/** The table of a model. */
export interface Table {
  readonly model: ModelDescription
  /** Quoted. */
  readonly sql: string
  /** By field name. */
  readonly columns: ReadonlyMap<string, Column>
  /** The id of the row with this alias, as SQL: a row of values if several columns make it. */
  id(alias: string): string
  /** The columns that make the id of the row with this alias. */
  idParts(alias: string): readonly string[]
  /** The column by which the table itself has its rows in order; undefined without one. */
  readonly scanOrder?: ScanOrder | undefined
  /** The JSON of a field that has no column, or whose column keeps only what compares. */
  documentOf(field: ValueField): DocumentSource
  /** Does the database keep ids unique? Read-only models may be over tables where it does not. */
  readonly hasUniqueIds: boolean
  /** How the id compares; undefined where it is text. */
  readonly idForm: NativeForm | undefined
  /** The order by the id alone comes first. */
  readonly indexOrders: readonly IndexOrder[]
  /** The names of to-one relations that lead from every row to an item. */
  readonly certainRelations: ReadonlySet<string>
  /**
   * The names of to-one relations that should lead from every row to an item. Nothing enforces it,
   * so a statement has to check it.
   */
  readonly requiredRelations: ReadonlySet<string>
  /** The names of fields by whose columns an index has the rows in order. */
  readonly leadingFields: ReadonlySet<string>
  /** Those by whose columns all indexes have NULL after the values, in ascending order. */
  readonly fieldsWithLargestNull: ReadonlySet<string>
  /** By field name. */
  readonly joinTables: ReadonlyMap<string, JoinTable>
  /** Undefined where no index has words of its texts. */
  readonly searchIndex?: SearchIndex | undefined
}

/** How the rows of a table are read as items. */
export interface ItemFormat {
  /** What is selected of an item, from the row with this alias. */
  itemExpressions(alias: string): readonly string[]
  /** The number of these expressions; the values of sort keys may follow them. */
  readonly itemWidth: number
  itemOf(row: Row): StoredItem
  /** An item of a list. What lists seldom use may be computed on access. */
  listedItemOf(row: Row): StoredItem
  /** The id of the row with this alias, as text. */
  idExpression(alias: string): string
  /**
   * A condition that is always true, evaluated for each row that is returned: the engine aborts a
   * statement above its byte limit there. Undefined where it counts no bytes.
   */
  rowCheck?(alias: string): string
}

/** The table of a model, with how its rows are read. */
export type ReadableTable = Table & ItemFormat

/**
 * A table that keeps each item as JSON text. It has the columns `id`, `text`, `split`, `hidden`,
 * `hash` and `revision`.
 */
export interface DocumentTable extends Table, ItemFormat {
  readonly writtenColumns: readonly WrittenColumn[]
}

/** @throws Error when the store was not opened with the model */
export type TableOf<T extends Table = Table> = (model: ModelDescription) => T
