import type { KeySchema, TableSchema } from '../../store/read-database.ts'
import { isKeyOf } from './item-tables.ts'
import { leftToDatabase } from './left-to-database.ts'
import type { ModelDraft } from './model-draft.ts'
import { uniqueSetOf } from './unique-sets.ts'

/** The constraints and indexes of a table that the model does not say. */
export function constraintNotes(draft: ModelDraft): readonly string[] {
  const { item } = draft
  const { table, key } = item
  const checks = table.checks.filter(
    ({ columns }) => columns.length !== 1 || isKeyOf(item, columns[0]),
  )
  const uniques = table.uniqueKeys.filter(
    (unique) =>
      (unique.columns.length > 1 || isRelation(draft, unique.columns[0]!)) &&
      unique.columns !== key &&
      !uniqueSetOf(draft, unique),
  )
  const rules = [...checks, ...table.exclusions].map(({ name }) => name)
  return [
    ...foreignKeyNotes(table),
    ...[...rules, ...uniques.map(uniqueText)].map(leftToDatabase),
    ...indexNotes(table),
  ]
}

function isRelation({ members, fields }: ModelDraft, column: string): boolean {
  return members.some(({ name, uses }) => uses === 'toOne' && name === fields.get(column))
}

function foreignKeyNotes({ foreignKeys }: TableSchema): readonly string[] {
  return foreignKeys
    .filter(({ columns }) => columns.length > 1)
    .map(
      ({ columns, target }) =>
        `The foreign key over ${columns.join(', ')} to '${target.name}' does not become a relation: a relation has one column.`,
    )
}

function indexNotes({ indexes }: TableSchema): readonly string[] {
  return indexes.flatMap(({ name, isUnique, predicate, keys }) => {
    if (isUnique) return [leftToDatabase(name)]
    const isPlain = predicate === undefined && keys.every(({ column }) => column !== undefined)
    return isPlain
      ? []
      : [`The index '${name}' is not named: it is partial, or over an expression.`]
  })
}

/** SQLite numbers the constraints that have no name. */
function uniqueText({ name, columns }: KeySchema): string {
  return name.startsWith('sqlite_autoindex_') ? `unique (${columns.join(', ')})` : name
}
