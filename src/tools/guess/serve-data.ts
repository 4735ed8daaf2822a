import type { Router } from '../../index.ts'
import { memory } from '../../store/memory/memory.ts'
import { sqlite } from '../../store/sqlite/sqlite.ts'
import { guessModels } from './guess-models.ts'
import { guessedRouter } from './guessed-router.ts'

/**
 * The router of a JSON file, whose items it has. Prints what differs from the file.
 * @param database the SQLite file that keeps the items; undefined for the memory of the process
 * @throws Error that says what is wrong with the file, and where
 */
export async function serveData(file: string, database: string | undefined): Promise<Router> {
  const { models, notes } = guessModels(file)
  for (const note of notes) console.log(note)
  return guessedRouter(file, models, database === undefined ? memory() : sqlite(database))
}
