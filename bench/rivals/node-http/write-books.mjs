// Reads, checks and writes an item in one transaction, so that the items that the check read cannot
// change before the write.

import { randomUUID } from 'node:crypto'
import { lists } from '../conditions.mjs'
import { Problem } from '../problem.mjs'
import { checkBook, isMembers } from './check-book.mjs'
import { insertSql } from './database.mjs'

/** @typedef {import('./database.mjs').Database} Database */
/** @typedef {import('./check-book.mjs').Members} Members */

const PRIMARY_KEY_TAKEN = 1555

/**
 * @param {Database} database
 * @param {import('./database.mjs').Form} form
 * @param {import('./database.mjs').Storage} storage
 */
export function bookWriter(database, form, storage) {
  const [begin, commit, rollback] = ['begin immediate', 'commit', 'rollback'].map((sql) =>
    database.prepare(sql),
  )
  const findExisting = database.prepare(
    `select exists (select 1 from authors where id = ?1),
      ?2 is null or exists (select 1 from publishers where id = ?2),
      not exists (select 1 from json_each(?3) where value not in (select id from genres))`,
    { returnArrays: true },
  )
  const insert = database.prepare(insertSql('books', storage.bookColumns))
  const read = database.prepare(`select ${storage.bookText}, hash from books where id = ?`, {
    returnArrays: true,
  })
  const [, ...changed] = storage.bookColumns
  const update = database.prepare(
    `update books set ${changed.map((column) => `${column} = ?`).join(', ')} where id = ?`,
  )

  /** @template T @param {() => T} work @returns {T} */
  const transaction = (work) => {
    begin?.run()
    try {
      const result = work()
      commit?.run()
      return result
    } catch (error) {
      if (database.isTransaction) rollback?.run()
      throw error
    }
  }

  /** @param {Members} book checked, so its relations have the right types */
  const checkRelations = (book) => {
    const [author, publisher, genres] = findExisting.get(
      book.author,
      book.publisher ?? null,
      JSON.stringify(book.genres ?? []),
    )
    if (!author) throw new Problem(form.missing, `There is no author ${book.author}.`)
    if (!publisher) throw new Problem(form.missing, `There is no publisher ${book.publisher}.`)
    if (!genres) throw new Problem(form.missing, 'There is no such genre.')
  }

  return {
    /** @param {Members} members */
    create(members) {
      const { id = randomUUID(), ...rest } = members
      const book = { id, inStock: true, stock: 0, tags: [], editions: [], genres: [], ...rest }
      checkBook(book)
      const { hash, doc } = form.stored('books', book)
      transaction(() => {
        checkRelations(book)
        try {
          insert.run(...storage.valuesOf('books', book, { hash, doc }))
        } catch (error) {
          if (!isKeyTaken(error)) throw error
          throw new Problem(409, `There is a book ${id} already.`)
        }
      })
      return { id: String(id), hash, doc }
    },

    /**
     * @param {string} id
     * @param {Members} patch
     * @param {string | undefined} ifMatch
     */
    patch(id, patch, ifMatch) {
      if (patch.id !== undefined && patch.id !== id) throw new Problem(409, 'An id cannot change.')
      return transaction(() => {
        const row = read.get(id)
        if (!row) throw new Problem(404, `There is no book ${id}.`)
        if (ifMatch !== undefined && !lists(ifMatch, `"${row[1]}"`))
          throw new Problem(412, 'The book has changed.')
        const book = merged(form.membersOf(row[0]), patch)
        checkBook(book)
        // Most patches do not change relations, and the stored related items still exist.
        if ('author' in patch || 'publisher' in patch || 'genres' in patch) checkRelations(book)
        const { hash, doc } = form.stored('books', book)
        const [, ...values] = storage.valuesOf('books', book, { hash, doc })
        update.run(...values, id)
        return { hash, doc }
      })
    },
  }
}

/**
 * RFC 7396.
 * @param {Members} target
 * @param {Members} patch
 */
function merged(target, patch) {
  const result = { ...target }
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name]
    else {
      const before = result[name]
      result[name] = isMembers(value) ? merged(isMembers(before) ? before : {}, value) : value
    }
  }
  return result
}

/** @param {unknown} error */
function isKeyTaken(error) {
  return error instanceof Error && 'errcode' in error && error.errcode === PRIMARY_KEY_TAKEN
}
