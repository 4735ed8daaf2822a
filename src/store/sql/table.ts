import type {
  ModelDescription,
  ToManyField,
  ToOneField,
  ValueField,
} from '../../model/model-description.ts'
import type { SortDirection } from '../../query/query-plan.ts'

/** A field with a column of its own. */
export interface Column {
  readonly field: ValueField | ToOneField
  /** Quoted. */
  readonly sql: string
  /** False allows conditions without a NULL branch, which indexes can serve. */
  readonly isNullable: boolean
}

/** The column of a document from which another column has its value. */
export type DocumentColumn = 'text' | 'hidden'

/** A column that each write sets. Generated columns follow the documents by themselves. */
export interface WrittenColumn {
  /** Quoted. */
  readonly sql: string
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

/** The table of a to-many relation, with the columns `owner` and `target`. */
export interface JoinTable {
  readonly field: ToManyField
  /** Quoted. */
  readonly sql: string
}

/**
 * The table of a model. It also has the columns `id`, `text`, `split`, `hidden`, `hash` and
 * `revision`.
 */
export interface Table {
  readonly model: ModelDescription
  /** Quoted. */
  readonly sql: string
  /** By field name. */
  readonly columns: ReadonlyMap<string, Column>
  readonly writtenColumns: readonly WrittenColumn[]
  /** The order by the id alone comes first. */
  readonly indexOrders: readonly IndexOrder[]
  /** By field name. */
  readonly joinTables: ReadonlyMap<string, JoinTable>
}

/** @throws Error when the store was not opened with the model */
export type TableOf = (model: ModelDescription) => Table
