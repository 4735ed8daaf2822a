import { newLogName } from '../change-log.ts'
import * as ofTables from '../tables/change-log-table.ts'
import { changeStatements, changeStateTable } from './change-table.ts'
import { hasTable } from './has-table.ts'
import { closeDatabaseFile, openDatabaseFile } from './open-database-file.ts'
import { runStatement } from './run-statement.ts'
import { sqliteEngine } from './tables/engine.ts'

/** The logs that a file may have: of documents, and of tables. */
const logs = [
  { stateTable: changeStateTable, statements: changeStatements },
  {
    stateTable: ofTables.changeStateTable.name,
    statements: ofTables.changeStatements(sqliteEngine),
  },
]

/** Gives the log of changes in a file a new name, whatever its format is. */
export async function renameLogInFile(file: string): Promise<void> {
  const writer = await openDatabaseFile(file, async ({ openWriter }) => openWriter('full'))
  try {
    for (const { stateTable, statements } of logs)
      if (hasTable(writer, stateTable)) runStatement(writer, statements.rename(newLogName()))
  } finally {
    await closeDatabaseFile(file, [], [writer])
  }
}
