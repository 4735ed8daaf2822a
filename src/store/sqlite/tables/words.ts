import type { Engine } from '../../tables/engine.ts'
import type { SqlSession } from '../../tables/sql-database.ts'
import { dropSql, statesTable } from '../words/words-sql.ts'
import { wordsSteps } from '../words/words-steps.ts'

type Rows = readonly (readonly unknown[])[]

export const tablesWords: Engine['words'] = Object.freeze({
  kind: 'afterTables',
  steps: (session, layouts) => {
    const names = new Map(layouts.map(({ model, table }) => [model, table.name]))
    return wordsSteps(
      [...names.keys()],
      (model) => names.get(model)!,
      (sql, table) => rowsOf(session, sql, table),
    )
  },
} satisfies Engine['words'])

/** Triggers name the columns of indexed texts, so that SQLite refuses to drop these alone. */
export const dropWordsSql: NonNullable<Engine['beforeDrop']> = async (session, { name }) => {
  const states = await rowsOf(session, `select name, "table" from ${statesTable}`, statesTable)
  return states.filter(([, table]) => table === name).flatMap(([index]) => dropSql(String(index)))
}

async function rowsOf(session: SqlSession, sql: string, table: string): Promise<Rows> {
  const exists = {
    sql: "select 1 from sqlite_schema where type = 'table' and name = ?1",
    parameters: [table],
  }
  const [found] = await session.run([exists])
  // A file that is not there has no rows.
  if (found!.rows.length === 0) return []
  const [result] = await session.run([{ sql, parameters: [] }])
  return result!.rows
}
