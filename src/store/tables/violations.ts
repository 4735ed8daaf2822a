import type { TableName } from '../../model/storage.ts'
import { tablesChanged } from '../store-errors.ts'
import type { WriteOutcome } from '../store-transaction.ts'
import { fieldsOf } from './constraint-meanings.ts'
import type { ItemTable } from './item-table.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { areSameColumns } from './schema/database-schema.ts'
import type { Violation } from './sql-database.ts'

/** The outcome of a write that the database refused. */
export function outcomeOfViolation(
  { layout, constraints, isLockable }: ItemTable,
  violation: Violation,
): Exclude<WriteOutcome, { kind: 'written' }> {
  // The rows of a view are in tables of other names.
  if (isLockable && isOfOtherTable(layout, violation)) return refused(relationIn(layout, violation))
  switch (violation.kind) {
    case 'unique': {
      if (constraints.ids.has(violation.constraint)) return { kind: 'exists' }
      const fields =
        constraints.unique.get(violation.constraint) ?? indexedFields(layout, violation.constraint)
      return fields === undefined
        ? refused(constraints.rules.get(violation.constraint))
        : { kind: 'taken', fields }
    }
    case 'uniqueColumns': {
      const { columns } = violation
      if (areSameColumns(layout.key, columns)) return { kind: 'exists' }
      const index = layout.indexes.find(
        ({ isUnique, keys }) =>
          isUnique &&
          areSameColumns(
            keys.map(({ column }) => column.name),
            columns,
          ),
      )
      if (!index) return refused(fieldsOf(layout, columns))
      return { kind: 'taken', fields: index.keys.map(({ column }) => column.field.name) }
    }
    case 'foreignKey': {
      const field = constraints.foreignKeys.get(violation.constraint)
      // The value of a field, of several columns, or one that rows of other tables have.
      return field === undefined
        ? refused(constraints.rules.get(violation.constraint))
        : { kind: 'missing', field }
    }
    case 'notNull':
      return refused(fieldsOf(layout, [violation.column]))
    case 'exclusion': {
      const fields = constraints.ranges.get(violation.constraint)
      return fields === undefined
        ? refused(constraints.rules.get(violation.constraint))
        : { kind: 'taken', fields }
    }
    case 'check':
      return refused(constraints.rules.get(violation.constraint))
    case 'value':
      return refused([])
  }
}

/**
 * A start makes columns of the store require what the models require, so that a value which this
 * model does not require is one of a newer version.
 *
 * @throws StoreUnavailable
 */
export function refuseFormerVersion(
  { layout, isManaged }: ItemTable,
  violation: Violation,
  cause: Error,
): void {
  if (!isManaged || violation.kind !== 'notNull' || !isOfTable(layout.table, violation)) return
  const { column } = violation
  if (layout.key.includes(column)) return
  if (layout.columns.some(({ name, isRequired }) => name === column && isRequired)) return
  // Its details have the values of the row, which are for no log.
  throw tablesChanged(new Error(cause.message))
}

function refused(fields: readonly string[] = []): Extract<WriteOutcome, { kind: 'refused' }> {
  return { kind: 'refused', fields }
}

/** The relation whose join table has the rule. */
function relationIn({ joinTables }: RelationalLayout, violation: Violation): readonly string[] {
  return joinTables
    .filter((join) => isOfTable(join.table, violation))
    .map(({ field }) => field.name)
}

/** Constraints of two tables may have the same name. */
function isOfOtherTable({ table, joinTables }: RelationalLayout, violation: Violation): boolean {
  if (violation.kind === 'value' || violation.table === undefined) return false
  const tables =
    violation.kind === 'foreignKey' ? [table, ...joinTables.map((join) => join.table)] : [table]
  return !tables.some((table) => isOfTable(table, violation))
}

function isOfTable({ name }: TableName, violation: Violation): boolean {
  return violation.kind !== 'value' && violation.table?.toLowerCase() === name.toLowerCase()
}

/** Indexes of the store may be over an expression, which the schema of a database does not tell. */
function indexedFields(
  { indexes }: RelationalLayout,
  constraint: string,
): readonly string[] | undefined {
  const index = indexes.find(({ name, isUnique }) => isUnique && name === constraint)
  return index?.keys.map(({ column }) => column.field.name)
}
