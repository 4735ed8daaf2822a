import { randomBytes } from 'node:crypto'
import type { Statement } from '../../sql/statement-cache.ts'
import { textLiteral } from '../../sql/text-literal.ts'
import type { Engine } from '../../tables/engine.ts'
import { quoteIdentifier as quote } from '../dialect.ts'
import { missingValue } from '../sqlite-error.ts'

/** SQLite changes the names in a trigger with those of tables and columns, but not its own. */
const requiringTrigger = /\bwhen new\.("(?:[^"]|"")+") is null begin select raise\(abort, '([^']*)'/

/**
 * A column that exists cannot become `not null`, so that triggers refuse rows without a value.
 * Their names are random, because one that was made for a former name of the column keeps its own.
 */
export const requireValue: Engine['requireValue'] = (table, column) => {
  const name = `${table.name.slice(0, 60)}_requires_${randomBytes(6).toString('hex')}`
  const trigger = (event: string, when: string) =>
    `create trigger ${quote(`${name}_${event}`)} before ${when} on ${quote(table.name)} when new.${quote(column)} is null begin select raise(abort, ${textLiteral(missingValue)}); end`
  const sql = [trigger('insert', 'insert'), trigger('update', `update of ${quote(column)}`)]
  return { sql, onlineSql: sql }
}

export const allowNull: Engine['allowNull'] = (_, { requiringTriggers }) =>
  requiringTriggers?.map((name) => `drop trigger ${quote(name)}`)

/** The triggers of a table, as the rows that `requiringTriggersOf` expects. */
export function triggersOf(table: string): Statement {
  return {
    sql: "select name, sql from sqlite_schema where type = 'trigger' and tbl_name = ?1 collate nocase",
    parameters: [table],
  }
}

/** The names of the triggers that require a value, by column. */
export function requiringTriggersOf(
  rows: readonly (readonly unknown[])[],
): ReadonlyMap<string, readonly string[]> {
  const triggers = new Map<string, string[]>()
  for (const [name, sql] of rows) {
    const [, column, message] = requiringTrigger.exec(String(sql)) ?? []
    if (column === undefined || message !== missingValue) continue
    const key = column.slice(1, -1).replaceAll('""', '"')
    triggers.set(key, [...(triggers.get(key) ?? []), String(name)])
  }
  return triggers
}
