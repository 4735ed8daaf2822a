import type { TableName } from '../../model/storage.ts'

/** The rows of a to-many relation, in the join table that has them. */
export interface CapturedRelation {
  /** The name of the relation. */
  readonly name: string
  readonly table: TableName
  /** The quoted column with the id of the owner. */
  readonly owner: string
}

/** A model for whose tables triggers log what others write. All tables have their schema. */
export interface CapturedModel {
  readonly model: string
  readonly table: TableName
  /** The id of the row with this alias, as text. */
  id(alias: string): string
  /** The quoted column that join tables refer to. */
  readonly key: string
  readonly relations: readonly CapturedRelation[]
}

/** The tables that triggers write to, with their schema. */
export interface CaptureTables {
  readonly log: TableName
  /** Has changes until the end of their transaction. */
  readonly pending: TableName
}

/** Triggers of one table. Their names depend on all that they do. */
export interface CaptureTriggers {
  readonly table: TableName
  readonly names: readonly string[]
  readonly sql: readonly string[]
}

/**
 * Triggers that log the rows that other programs write. A transaction of the store says that it
 * logs by itself (`SqlDatabase.logsByItself`).
 */
export interface ChangeCapture {
  createPending(tables: CaptureTables): readonly string[]
  /** Those of the table of pending changes. */
  pendingTriggers(tables: CaptureTables): CaptureTriggers
  /** Those of the tables of a model. */
  triggers(model: CapturedModel, tables: CaptureTables): readonly CaptureTriggers[]
  /** Are changes of this model what the trigger logs, by its name? */
  isOfModel(trigger: string, model: string): boolean
  drop(table: TableName, names: readonly string[], tables: CaptureTables): readonly string[]
  /** The JSON objects in the array of a parameter, as `e.value`, with `e.position`. */
  capturedRows(parameter: string): string
  /** The row of the table that a JSON object has, with this alias. */
  rowOf(table: string, json: string, alias: string): string
  /** The member of a JSON object, and each element of an array with this alias. */
  member(json: string, name: string): string
  elements(json: string, alias: string): string
}
