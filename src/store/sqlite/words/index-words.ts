import type { Dialect } from '../../sql/dialect.ts'
import type { Table } from '../../sql/table.ts'
import type { OpenFile } from '../open-file.ts'
import { wordsIndexesOf } from './words-index.ts'

/**
 * The tables with indexes of the words that searches of them need. Indexes of rows that are there
 * already are built afterwards, while the service runs.
 */
export async function indexWords<T extends Table>(
  { commits, reader, words }: Pick<OpenFile, 'commits' | 'reader' | 'words'>,
  dialect: Dialect,
  tables: readonly T[],
  nameOf: (table: T) => string,
): Promise<readonly T[]> {
  if (!words) return tables
  const indexes = wordsIndexesOf(dialect, tables, nameOf)
  if (indexes.size === 0 && !words.hasAny()) return tables
  await commits.run(async () => words.prepare([...indexes.values()], tables.map(nameOf)))
  words.fillInBackground()
  return tables.map((table) => {
    const index = indexes.get(table.model.name)
    return { ...table, searchIndex: index && words.searchIndexOf(index, reader) }
  })
}
