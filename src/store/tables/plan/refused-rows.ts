import { countHaving } from '../../../text/message-text.ts'
import { type CountedItems, namedIds } from '../../missing-values.ts'
import { conditionSql } from '../../sql/condition-sql.ts'
import { uniqueSubject } from '../../unique-subject.ts'
import type { Engine } from '../engine.ts'
import type { RelationalColumn } from '../relational-layout.ts'
import { findColumn, findTable } from '../schema/database-schema.ts'
import type { SqlSession } from '../sql-database.ts'
import { columnBefore, countWithIds, tableBefore } from './counted-rows.ts'
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
  const rows = await countWithIds(session, engine.dialect.quote(rule.layout.key[0]!), source)
  return rows.count === 0 ? undefined : refusalText(rule, rows)
}

function violatingRows(engine: Engine, rule: RowRule, renames: Renames): string | undefined {
  const existing = findTable(renames.schema, rule.layout.table)
  const exists = ({ name }: RelationalColumn) =>
    existing !== undefined && findColumn(existing, name) !== undefined
  if (rule.kind === 'unique') return equalRows(engine, rule, renames, exists)
  if (rule.kind === 'overlap') return overlappingRows(engine, rule, renames)
  if (!exists(rule.column)) return undefined
  const { table, column } = columnBefore(engine, renames, rule.layout, rule.column)
  const values = `${table} r where r.${column} is not null`
  if (!findTable(renames.schema, rule.target.table)) return values
  const target = engine.quoteTable(tableBefore(renames, rule.target.table))
  return `${values} and not exists (select 1 from ${target} t where t.${engine.dialect.quote(rule.target.key[0]!)} = r.${column})`
}

/** All rows get the same default in a new column, so that those of the others decide. */
function equalRows(
  engine: Engine,
  { layout, index }: Extract<RowRule, { kind: 'unique' }>,
  renames: Renames,
  exists: (column: RelationalColumn) => boolean,
): string {
  const before = (column: RelationalColumn) => columnBefore(engine, renames, layout, column)
  const { table, key } = before(index.keys[0]!.column)
  const columns = index.keys.map((part) => part.column).filter(exists)
  const values = columns.map((column) =>
    engine.codecs[column.type].form.value(before(column).column),
  )
  const conditions = [
    ...columns.map((column) => `${before(column).column} is not null`),
    ...index.where
      .filter(({ column }) => exists(column))
      .map(({ column, value }) => conditionSql(engine.dialect, before(column).column, value)),
  ]
  const window = values.length === 0 ? '' : `partition by ${values.join(', ')}`
  const condition = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
  return `(select ${key}, count(*) over (${window}) as n from ${table}${condition}) r where n > 1`
}

/** Undefined where columns get new names: the database itself refuses the step then. */
function overlappingRows(
  engine: Engine,
  { layout, exclusion }: Extract<RowRule, { kind: 'overlap' }>,
  renames: Renames,
): string | undefined {
  const { columns, from, to, where } = exclusion
  const all = [...columns, from, to, ...where.map(({ column }) => column)]
  const isRenamed = all.some(
    (column) =>
      columnBefore(engine, renames, layout, column).column !== engine.dialect.quote(column.name),
  )
  if (isRenamed) return undefined
  const { table, key } = columnBefore(engine, renames, layout, from)
  const overlap = engine.exclusions!.overlap(exclusion, 'r', 'other')
  return `${table} r where exists (select 1 from ${table} other where other.${key} <> r.${key} and ${overlap})`
}

function refusalText(rule: RowRule, items: CountedItems): string {
  const { model } = rule.layout
  const having = countHaving(items.count, 'item')
  const names = namedIds(items)
  if (rule.kind === 'unique') {
    const fields = rule.index.keys.map(({ column }) => column.field.name)
    const value = fields.length === 1 ? 'value' : 'values'
    return `${uniqueSubject(model, fields)}, but ${having} the same ${value} as another one: ${names}.`
  }
  if (rule.kind === 'overlap')
    return `${uniqueSubject(
      model,
      rule.exclusion.range.fields.map(({ name }) => name),
    )} from '${rule.exclusion.from.field.name}' to '${rule.exclusion.to.field.name}', but ${having} a range that overlaps another one: ${names}.`
  return `The relation '${rule.column.field.name}' of the model '${model.name}' leads to '${rule.target.table.name}', but ${having} an id there that does not exist: ${names}.`
}
