import type { WriteOutcome } from '../store.ts'
import type { ItemTable } from './item-table.ts'
import type { Violation } from './sql-database.ts'

/** The outcome of a write that the database refused; undefined for constraints of other tables. */
export function outcomeOfViolation(
  { layout, constraints }: ItemTable,
  violation: Violation,
): WriteOutcome | undefined {
  switch (violation.kind) {
    case 'unique': {
      if (constraints.ids.has(violation.constraint)) return { kind: 'exists' }
      const field = constraints.unique.get(violation.constraint)
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
      return field === undefined ? undefined : { kind: 'missing', field }
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

function isSameKey(key: readonly string[], columns: readonly string[]): boolean {
  return key.length === columns.length && key.every((column) => columns.includes(column))
}
