import { countHaving } from '../../../text/message-text.ts'
import type { Engine } from '../engine.ts'
import { findColumn, findTable } from '../schema/database-schema.ts'
import type { SqlSession } from '../sql-database.ts'
import { type CountedRows, columnBefore, countRows, tableBefore } from './counted-rows.ts'
import type { Renames } from './rename-steps.ts'
import type { RowRule, SchemaStep } from './schema-step.ts'

/** Which rows of the tables violate what steps require, a sentence for each rule. */
export async function refusalsOfRows(
  engine: Engine,
  session: SqlSession,
  steps: readonly SchemaStep[],
  renames: Renames,
): Promise<readonly string[]> {
  const refusals: string[] = []
  for (const step of steps) {
    const rule = step.kind === 'online' ? step.requires : undefined
    const refusal = rule && (await refusalOfRows(engine, session, rule, renames))
    if (refusal !== undefined) refusals.push(refusal)
  }
  return refusals
}

/** Which rows violate the rule, as a sentence; undefined if none does. */
export async function refusalOfRows(
  engine: Engine,
  session: SqlSession,
  rule: RowRule,
  renames: Renames,
): Promise<string | undefined> {
  const source = violatingRows(engine, rule, renames)
  if (source === undefined) return undefined
  const rows = await countRows(session, engine.dialect.quote(rule.layout.key[0]!), source)
  return rows.count === 0 ? undefined : refusalText(rule, rows)
}

function violatingRows(engine: Engine, rule: RowRule, renames: Renames): string | undefined {
  const { table, key, column } = columnBefore(engine, renames, rule.layout, rule.column)
  const existing = findTable(renames.schema, rule.layout.table)
  const hasColumn = existing !== undefined && findColumn(existing, rule.column.name) !== undefined
  if (rule.kind === 'unique') {
    // All rows get the same default in a new column.
    const value = hasColumn ? engine.codecs[rule.column.type].form.value(column) : undefined
    const counted = `select ${key}, count(*) over (${value === undefined ? '' : `partition by ${value}`}) as n from ${table}`
    return `(${counted}${value === undefined ? '' : ` where ${column} is not null`}) r where n > 1`
  }
  if (!hasColumn) return undefined
  const values = `${table} r where r.${column} is not null`
  if (!findTable(renames.schema, rule.target.table)) return values
  const target = engine.quoteTable(tableBefore(renames, rule.target.table))
  return `${values} and not exists (select 1 from ${target} t where t.${engine.dialect.quote(rule.target.key[0]!)} = r.${column})`
}

function refusalText(rule: RowRule, { count, ids }: CountedRows): string {
  const field = `'${rule.column.field.name}' of the model '${rule.layout.model.name}'`
  const items = countHaving(count, 'item')
  const names = `${ids.join(', ')}${count > ids.length ? ', …' : ''}`
  return rule.kind === 'unique'
    ? `The field ${field} is unique, but ${items} the same value as another one: ${names}.`
    : `The relation ${field} leads to '${rule.target.table.name}', but ${items} an id there that does not exist: ${names}.`
}
