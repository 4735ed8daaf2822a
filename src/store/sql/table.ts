import type { ModelDescription, ToManyField, ToOneField, ValueField } from '../../model/description.ts'

/** A field that has a column of its own, derived from the document. */
export interface Column {
  readonly field: ValueField | ToOneField
  /** Quoted. */
  readonly sql: string
  /** May NULL be in it? Where it cannot, conditions need no branch for it and indexes serve them. */
  readonly nullable: boolean
  /** Whether an index serves walks in ascending, and in descending order of the column with the id ascending within. */
  readonly ascending: boolean
  readonly descending: boolean
}

/** The rows of a relation to many: `owner` and `target`. */
export interface SideTable {
  readonly field: ToManyField
  /** Quoted. */
  readonly sql: string
}

/** Where the items of a model are kept. Besides the columns it has `id`, `text`, `split`, `hidden`, `hash` and `revision`. */
export interface Table {
  readonly model: ModelDescription
  /** Quoted. */
  readonly sql: string
  /** By field name. */
  readonly columns: ReadonlyMap<string, Column>
  /** By field name. */
  readonly sides: ReadonlyMap<string, SideTable>
}

/** Finds a model's table. @throws Error when the store was not opened with the model. */
export type TableOf = (model: ModelDescription) => Table
