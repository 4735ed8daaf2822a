import type { TableName } from '../../../model/storage.ts'
import { moveBackfillNote, moveBackfillNotes } from '../backfill-notes.ts'
import { type RelationalLayout, tablesOf } from '../relational-layout.ts'
import { type DatabaseSchema, findColumn, findTable } from '../schema/database-schema.ts'
import { renameColumn, renameTable } from '../schema/rename.ts'
import { forgetTableSql, noteTableSql } from '../settings-table.ts'
import type { PlanContext } from './column-definition.ts'
import { formerColumns, formerIdColumns, formerJoinTables, formerTables } from './former-names.ts'
import { renameIndexes } from './rename-indexes.ts'
import type { SchemaStep } from './schema-step.ts'

interface TableRename {
  readonly from: TableName
  readonly to: TableName
}

interface ColumnRename {
  /** By the name that it has then. */
  readonly table: TableName
  readonly from: string
  readonly to: string
}

export interface Renames {
  readonly steps: readonly SchemaStep[]
  readonly tables: readonly TableRename[]
  readonly columns: readonly ColumnRename[]
  /** The tables as they are then. */
  readonly schema: DatabaseSchema
}

/** Tables and columns that have the former name of a model or a field (`was`). */
export function planRenames(
  { engine, isOwn }: PlanContext,
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
): Renames {
  const { quote } = engine.dialect
  const steps: SchemaStep[] = []
  const tables: TableRename[] = []
  const columns: ColumnRename[] = []
  let current = schema
  const present = new Set(tablesOf(layouts).flatMap((table) => findTable(schema, table) ?? []))
  const isThere = (name: TableName) => findTable(current, name) !== undefined
  /** Can the table be renamed? Not one that a model has now. */
  const isFormer = (name: TableName): boolean => {
    const table = findTable(schema, name)
    return table !== undefined && isOwn(name) && !present.has(table) && isThere(name)
  }

  /** @param notes moves what the settings note of the table */
  const moveTable = (from: TableName, to: TableName, notes: readonly string[] = []): void => {
    const existing = findTable(current, from)!
    const indexes = renameIndexes(engine, existing, from, to)
    steps.push({
      kind: 'instant',
      endsOldProcesses: true,
      summary: `Rename the table '${from.name}' to '${to.name}'.`,
      sql: [
        `alter table ${engine.quoteTable(from)} rename to ${quote(to.name)}`,
        ...indexes.sql,
        forgetTableSql(engine, from),
        noteTableSql(engine, to),
        ...notes,
      ],
    })
    tables.push({ from, to })
    current = renameTable(current, existing, { ...indexes.table, name: to.name })
  }
  const moveColumn = (table: TableName, from: string, to: string): void => {
    steps.push({
      kind: 'instant',
      endsOldProcesses: true,
      summary: `Rename the column '${from}' of '${table.name}' to '${to}'.`,
      sql: [
        `alter table ${engine.quoteTable(table)} rename column ${quote(from)} to ${quote(to)}`,
        ...moveBackfillNote(engine, table, from, to),
      ],
    })
    columns.push({ table, from, to })
    current = renameColumn(current, table, from, to)
  }
  /** Renames the first column of these that the table has, if it lacks the new one. */
  const moveFormerColumn = (table: TableName, formerNames: readonly string[], to: string): void => {
    const existing = findTable(current, table)
    if (!existing || findColumn(existing, to)) return
    const from = formerNames.find((name) => findColumn(existing, name))
    if (from !== undefined) moveColumn(table, from, to)
  }

  for (const layout of layouts) {
    const formerNames = formerTables(layout, engine.maxNameBytes)
    const from = findTable(current, layout.table) ? undefined : formerNames.find(isFormer)
    if (from) moveTable(from, layout.table, moveBackfillNotes(engine, from, layout.table))
    for (const column of layout.columns)
      moveFormerColumn(
        layout.table,
        formerColumns(layout, column, engine.maxNameBytes),
        column.name,
      )
  }
  for (const layout of layouts) {
    for (const { field, table, owner, target } of layout.joinTables) {
      const formerNames = formerJoinTables(layout, field, engine.maxNameBytes)
      const from = findTable(current, table) ? undefined : formerNames.find(isFormer)
      if (from) moveTable(from, table)
      moveFormerColumn(table, formerIdColumns(layout.model.storage.formerNames), owner)
      moveFormerColumn(table, formerIdColumns(field.relatedModel.storage.formerNames), target)
    }
  }
  return { steps, tables, columns, schema: current }
}
