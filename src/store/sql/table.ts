import type {
  ModelDescription,
  ToManyField,
  ToOneField,
  ValueField,
} from '../../model/model-description.ts'
import type { SortDirection } from '../../query/query-plan.ts'

/** A field that has a column of its own, derived from the document. */
export interface Column {
  readonly field: ValueField | ToOneField
  /** Quoted. */
  readonly sql: string
  /**
   * May NULL be in it? Where it cannot, conditions need no branch for it and indexes serve them.
   */
  readonly isNullable: boolean
}

/** An order of the rows that an index has: by its keys, and last by the id, ascending. */
export interface IndexOrder {
  readonly keys: readonly { readonly column: Column; readonly direction: SortDirection }[]
}

/** The rows of a relation to many: `owner` and `target`. */
export interface JoinTable {
  readonly field: ToManyField
  /** Quoted. */
  readonly sql: string
}

/**
 * Where the items of a model are kept. Besides the columns it has `id`, `text`, `split`, `hidden`,
 * `hash` and `revision`.
 */
export interface Table {
  readonly model: ModelDescription
  /** Quoted. */
  readonly sql: string
  /** By field name. */
  readonly columns: ReadonlyMap<string, Column>
  /** That of the ids alone comes first. */
  readonly indexOrders: readonly IndexOrder[]
  /** By field name. */
  readonly joinTables: ReadonlyMap<string, JoinTable>
}

/** Finds a model's table. @throws Error when the store was not opened with the model. */
export type TableOf = (model: ModelDescription) => Table
