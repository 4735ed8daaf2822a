import type { KeySchema } from '../store/tables/schema/database-schema.ts'
import { type ItemTable, isKeyOf } from './item-tables.ts'

/** The constraints and indexes of a table that are not of one field. */
export function constraintNotes(item: ItemTable): readonly string[] {
  const { table, key } = item
  const checks = table.checks.filter(
    ({ columns }) => columns.length !== 1 || isKeyOf(item, columns[0]),
  )
  const uniques = table.uniqueKeys.filter(({ columns }) => columns.length > 1 && columns !== key)
  const rules = [...checks, ...table.exclusions].map(({ name }) => name)
  return [
    ...foreignKeyNotes(table),
    ...[...rules, ...uniques.map(uniqueText)].map(leftToDatabase),
    ...indexNotes(table),
  ]
}

function foreignKeyNotes({ foreignKeys }: ItemTable['table']): readonly string[] {
  return foreignKeys
    .filter(({ columns }) => columns.length > 1)
    .map(
      ({ columns, target }) =>
        `The foreign key over ${columns.join(', ')} to '${target.name}' does not become a relation: a relation has one column.`,
    )
}

function indexNotes({ indexes }: ItemTable['table']): readonly string[] {
  return indexes.flatMap(({ name, isUnique, predicate, keys }) => {
    if (isUnique) return [leftToDatabase(name)]
    const isPlain = predicate === undefined && keys.every(({ column }) => column !== undefined)
    return isPlain
      ? []
      : [`The index '${name}' is not named: it is partial, or over an expression.`]
  })
}

export function leftToDatabase(constraint: string): string {
  return `The rule '${constraint}' is left to the database: a write against it is 422.`
}

/** SQLite numbers the constraints that have no name. */
export function uniqueText({ name, columns }: KeySchema): string {
  return name.startsWith('sqlite_autoindex_') ? `unique (${columns.join(', ')})` : name
}
