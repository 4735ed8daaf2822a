import type { Engine } from '../engine.ts'
import type { RelationalExclusion, RelationalLayout } from '../relational-layout.ts'
import { constraintNames, findColumn, type TableSchema } from '../schema/database-schema.ts'
import type { RowRule, SchemaStep } from './schema-step.ts'

/** The constraints of a new table. */
export function newExclusionsSql(
  { exclusions: sql }: Engine,
  { table, exclusions }: RelationalLayout,
): readonly string[] {
  return sql ? exclusions.map((exclusion) => sql.add(table, exclusion)) : []
}

/** The constraints that a table lacks. */
export function rangeSteps(
  { exclusions: sql }: Engine,
  layout: RelationalLayout,
  existing: TableSchema,
): readonly SchemaStep[] {
  if (!sql) return []
  const names = constraintNames(existing)
  return layout.exclusions
    .filter(({ name }) => !names.has(name))
    .map((exclusion): SchemaStep => {
      const statements = [sql.add(layout.table, exclusion)]
      return {
        kind: 'online',
        table: layout.table,
        summary: `Refuse items of '${layout.table.name}' that overlap: ${columnsText(exclusion)}. Other statements wait until the index is there.`,
        onlineSql: statements,
        sql: statements,
        requires: ruleOf(layout, existing, exclusion),
      }
    })
}

/** Constraints of ranges that the model had before refuse rows as before. */
export function abandonedRangeSteps(
  { dialect, quoteTable }: Engine,
  { table, model, exclusions }: RelationalLayout,
  existing: TableSchema | undefined,
): readonly SchemaStep[] {
  const names = new Set(exclusions.map(({ name }) => name))
  const isOwn = ({ name }: { readonly name: string }) =>
    name.startsWith(`${table.name}_`) && name.endsWith('_excl')
  return (existing?.exclusions ?? [])
    .filter((exclusion) => isOwn(exclusion) && !names.has(exclusion.name))
    .map(({ name }) => ({
      kind: 'never',
      summary: `Drop the constraint '${name}' of '${table.name}', which is not a range of the model '${model.name}'. Until then values that overlap are 422.`,
      sql: [`alter table ${quoteTable(table)} drop constraint ${dialect.quote(name)}`],
    }))
}

function columnsText({ columns, from, to }: RelationalExclusion): string {
  const names = columns.map(({ name }) => `'${name}'`).join(', ')
  return `the same ${names} from '${from.name}' to '${to.name}'`
}

/** A new column has no values. */
function ruleOf(
  layout: RelationalLayout,
  existing: TableSchema,
  exclusion: RelationalExclusion,
): RowRule | undefined {
  const { columns, from, to, where } = exclusion
  const all = [...columns, from, to, ...where.map(({ column }) => column)]
  return all.every(({ name }) => findColumn(existing, name))
    ? { kind: 'overlap', layout, exclusion }
    : undefined
}
