import type { ToManyField } from '../../../model/model-description.ts'
import { pluralOf, toSnakeCase } from '../../../model/naming.ts'
import type { TableName } from '../../../model/storage.ts'
import type { RelationalColumn, RelationalLayout } from '../relational-layout.ts'
import { shortName } from '../short-name.ts'

/** All tables that may have to be renamed. */
export function formerTablesOf(
  layouts: readonly RelationalLayout[],
  maxNameBytes: number,
): readonly TableName[] {
  return layouts.flatMap((layout) => {
    const joinTables = layout.joinTables.flatMap(({ field }) =>
      formerJoinTables(layout, field, maxNameBytes),
    )
    return [...formerTables(layout, maxNameBytes), ...joinTables]
  })
}

/** The tables that the model had under its former names, or with these names. */
export function formerTables(
  { model, table }: RelationalLayout,
  maxNameBytes: number,
): readonly TableName[] {
  const names = model.storage.formerNames.flatMap((name) => [toSnakeCase(pluralOf(name)), name])
  return names.map((name) => ({ schema: table.schema, name: shortName(name, maxNameBytes) }))
}

export function formerJoinTables(
  layout: RelationalLayout,
  { wireName }: ToManyField,
  maxNameBytes: number,
): readonly TableName[] {
  return formerTables(layout, maxNameBytes).map(({ schema, name }) => ({
    schema,
    name: shortName(`${name}_${toSnakeCase(wireName)}`, maxNameBytes),
  }))
}

/** The names that a column had before. A name that another column has now is not among them. */
export function formerColumns(
  { columns }: RelationalLayout,
  { field }: RelationalColumn,
  maxNameBytes: number,
): readonly string[] {
  const currentColumns = new Set(columns.map(({ name }) => name))
  return field.storage.formerNames
    .flatMap((name) => [
      ...(field.kind === 'toOne' ? [`${toSnakeCase(name)}_id`] : []),
      toSnakeCase(name),
      name,
    ])
    .map((name) => shortName(name, maxNameBytes))
    .filter((name) => !currentColumns.has(name))
}

export function formerIdColumns(formerNames: readonly string[]): readonly string[] {
  return formerNames.flatMap((name) => [
    `${toSnakeCase(name)}_id`,
    `related_${toSnakeCase(name)}_id`,
  ])
}
