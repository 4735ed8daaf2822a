import { DatabaseSync } from '@photostructure/sqlite'
import { authors, books, genres, publishers } from '../../data.mjs'
import { BOOK_COLUMNS, parametersOf, SCHEMA } from '../columns.mjs'
import { hashOf } from '../hash.mjs'

export const INSERT = `insert into books (${BOOK_COLUMNS.join(', ')})
  values (${BOOK_COLUMNS.map(() => '?').join(', ')})`

/**
 * @param {string} file
 * @param {'full' | 'normal'} durability
 */
export function openDatabase(file, durability) {
  const database = new DatabaseSync(file)
  database.exec(
    `pragma journal_mode = wal; pragma synchronous = ${durability}; pragma cache_size = -65536;`,
  )
  if (!database.prepare("select 1 from sqlite_schema where name = 'books'").get()) seed(database)
  return database
}

/** @typedef {ReturnType<typeof openDatabase>} Database */

/** @param {Database} database */
function seed(database) {
  database.exec(`${SCHEMA} begin`)
  const insertAuthor = database.prepare(
    'insert into authors (id, name, born, bio, hash) values (?, ?, ?, ?, ?)',
  )
  for (const author of authors()) {
    insertAuthor.run(
      author.id,
      author.name,
      author.born,
      author.bio,
      hashOf(JSON.stringify(author)),
    )
  }
  const insertPublisher = database.prepare(
    'insert into publishers (id, name, country, founded) values (?, ?, ?, ?)',
  )
  for (const { id, name, country, founded } of publishers())
    insertPublisher.run(id, name, country, founded)
  const insertGenre = database.prepare('insert into genres (id, name) values (?, ?)')
  for (const genre of genres()) insertGenre.run(genre.id, genre.name)
  const insertBook = database.prepare(INSERT)
  for (const book of books()) insertBook.run(...parametersOf(book, hashOf(JSON.stringify(book))))
  database.exec('commit; analyze; pragma wal_checkpoint(truncate)')
}
