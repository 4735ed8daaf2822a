import type { WriteOutcome } from '../store.ts'
import type { ItemTable } from './item-table.ts'
import type { RelationalLayout } from './relational-layout.ts'
import type { Violation } from './sql-database.ts'

/** The outcome of a write that the database refused. */
export function outcomeOfViolation(
  { layout, constraints, isLockable }: ItemTable,
  violation: Violation,
): Exclude<WriteOutcome, { kind: 'written' }> {
  // The rows of a view are in tables of other names.
  if (isLockable && isOfOtherTable(layout, violation)) return { kind: 'refused', field: undefined }
  switch (violation.kind) {
    case 'unique': {
      if (constraints.ids.has(violation.constraint)) return { kind: 'exists' }
      const field =
        constraints.unique.get(violation.constraint) ?? indexedField(layout, violation.constraint)
      return field === undefined ? { kind: 'refused', field: undefined } : { kind: 'taken', field }
    }
    case 'uniqueColumns': {
      const { columns } = violation
      if (isSameKey([layout.key], columns)) return { kind: 'exists' }
      const index = layout.indexes.find(
        ({ isUnique, keys }) =>
          isUnique &&
          isSameKey(
            keys.map(({ column }) => column.name),
            columns,
          ),
      )
      if (!index) return { kind: 'refused', field: undefined }
      return { kind: 'taken', field: index.keys[0]!.column.field.name }
    }
    case 'foreignKey': {
      const field = constraints.foreignKeys.get(violation.constraint)
      // The value of a field, of several columns, or one that rows of other tables have.
      return field === undefined ? { kind: 'refused', field } : { kind: 'missing', field }
    }
    case 'notNull': {
      const column = layout.columns.find(({ name }) => name === violation.column)
      return { kind: 'refused', field: column?.field.name }
    }
    case 'check':
    case 'value':
      return { kind: 'refused', field: undefined }
  }
}

/** Constraints of two tables may have the same name. */
function isOfOtherTable({ table, joinTables }: RelationalLayout, violation: Violation): boolean {
  if (violation.kind === 'value' || violation.table === undefined) return false
  const tables =
    violation.kind === 'foreignKey' ? [table, ...joinTables.map((join) => join.table)] : [table]
  const violated = violation.table.toLowerCase()
  return !tables.some(({ name }) => name.toLowerCase() === violated)
}

function isSameKey(key: readonly string[], columns: readonly string[]): boolean {
  return key.length === columns.length && key.every((column) => columns.includes(column))
}

/** Indexes of the store may be over an expression, which the schema of a database does not tell. */
function indexedField({ indexes }: RelationalLayout, constraint: string): string | undefined {
  const index = indexes.find(({ name, isUnique }) => isUnique && name === constraint)
  return index?.keys[0]?.column.field.name
}
