// Searches of articles that the library keeps in stores of its own: words of few and of many
// articles, in the order of the list and by relevance.

import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import pg from 'pg'
import { createRouter, model, toOne } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'
import { startPostgres } from '../harness/postgres.mjs'

/**
 * @typedef {import('./stores.mjs').Measured} Measured
 * @typedef {import('./requests.mjs').Request} Request
 */

const Author = model('author', { name: z.string() })
const Article = model(
  'article',
  { title: z.string(), summary: z.string(), author: toOne('author') },
  { search: { title: 3, 'author.name': 2, summary: 1 } },
)

const AUTHORS = 1_000

/** @param {number} n */
const authorOf = (n) => ({ id: `w${n}`, name: `Writer name${n} ${n === 0 ? 'busy' : 'quiet'}` })

/**
 * Each article has a word of its own, and one busy author has a tenth of them.
 *
 * @param {number} n
 * @param {number} rows
 */
function articleOf(n, rows) {
  const words = [`about subject${n % 997}`, `order${n}`]
  if (n % 2 === 0) words.push('second')
  if (n % 10 === 3) words.push('tenth')
  if (n % Math.max(1, rows / 1_000) === 8) words.push('thousand')
  if (n > rows - rows / 50) words.push('recent')
  const id = `a${String(n).padStart(8, '0')}`
  const author = `w${n % 10 === 1 ? 0 : n % AUTHORS}`
  return { id, title: words.join(' '), summary: `summary of topic${n % 89}, batch${n}`, author }
}

/** @returns {Request[]} */
export function searchRequests() {
  const searches = {
    'a word of no article': '"nothing"',
    'a beginning of no article': 'nothing',
    'a word of one article': '"order777"',
    'a word of 1 000 articles': '"thousand"',
    'a word of each tenth article': '"tenth"',
    'a word of each second article': '"second"',
    'a word of the last fiftieth of the articles': '"recent"',
    'words of each second and of 1 000 articles': '"second" "thousand"',
    'the name of an author of a thousandth': '"name8"',
    'the name of an author of a tenth': '"busy"',
  }
  return Object.entries(searches).flatMap(([name, words]) => {
    const path = `/articles?search=${encodeURIComponent(words)}&page[size]=20`
    // Nobody writes the same by hand.
    const byHand = { sql: [], document: () => ({}) }
    return [
      { name, path, ...byHand },
      { name: `${name}, by relevance`, path: `${path}&sort=-relevance`, ...byHand },
    ]
  })
}

/** @type {Readonly<Record<string, (folder: string, rows: number) => Promise<Measured>>>} */
export const SEARCH_STORES = {
  'postgres-search': overPostgres,
  'sqlite-tables-search': (folder, rows) => overSqlite(folder, rows, 'tables'),
  'sqlite-documents-search': (folder, rows) => overSqlite(folder, rows, 'documents'),
}

/**
 * @param {string} folder
 * @param {number} rows
 */
async function overPostgres(folder, rows) {
  const server = await startPostgres(join(folder, 'postgres'), 'normal')
  const url = server.createDatabase('articles')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const router = await routerOver(postgres(url))
  // An index is made in less time after the rows.
  const { rows: indexes } = await client.query(
    "select indexname, indexdef from pg_indexes where indexname like '%words%'",
  )
  for (const { indexname } of indexes) await client.query(`drop index "${indexname}"`)
  const insert = (/** @type {string} */ table, /** @type {string} */ columns) =>
    `insert into ${table} select ${columns} from jsonb_array_elements($1::jsonb) e`
  await client.query(insert('authors (id, name)', "e ->> 'id', e ->> 'name'"), [
    JSON.stringify(Array.from({ length: AUTHORS }, (_, n) => authorOf(n))),
  ])
  for (let from = 1; from <= rows; from += 10_000) {
    const length = Math.min(10_000, rows - from + 1)
    const articles = Array.from({ length }, (_, index) => articleOf(from + index, rows))
    await client.query(
      insert(
        'articles (id, title, summary, author_id)',
        "e ->> 'id', e ->> 'title', e ->> 'summary', e ->> 'author'",
      ),
      [JSON.stringify(articles)],
    )
  }
  await client.query("set maintenance_work_mem = '256MB'")
  for (const { indexname, indexdef } of indexes) {
    await client.query(indexdef)
    const { rows: columns } = await client.query(
      'select attnum from pg_attribute where attrelid = $1::regclass',
      [indexname],
    )
    for (const { attnum } of columns)
      await client.query(`alter index "${indexname}" alter column ${attnum} set statistics 500`)
  }
  await client.end()
  server.analyze('articles')
  return {
    router,
    async close() {
      await router.close()
      await server.stop()
    },
  }
}

/**
 * @param {string} folder
 * @param {number} rows
 * @param {'documents' | 'tables'} layout
 */
async function overSqlite(folder, rows, layout) {
  const file = join(folder, `${layout}.db`)
  const router = await routerOver(sqlite(file, { layout, durability: 'normal' }))
  const articles = function* () {
    for (let n = 1; n <= rows; n++) yield articleOf(n, rows)
  }
  await router.load(
    /** @type {any} */ (Author),
    Array.from({ length: AUTHORS }, (_, n) => authorOf(n)),
  )
  await router.load(/** @type {any} */ (Article), articles())
  await indexesComplete(file)
  return { router, close: () => router.close() }
}

/**
 * The library puts loaded items into the index in the background.
 *
 * @param {string} file
 */
async function indexesComplete(file) {
  const database = new DatabaseSync(file)
  const names = /** @type {{ name: string, filled: string | null }[]} */ (
    database
      .prepare(
        "select name from sqlite_schema where type = 'table' and name like 'resourcery_words%_changes'",
      )
      .all()
  )
  const count = names.map(({ name }) => `(select count(*) from "${name}")`).join(' + ')
  const pending = database.prepare(`select ${count} as pending`)
  while (/** @type {any} */ (pending.get()).pending > 0) await wait(200)
  database.close()
}

/** @param {import('resourcery').Store} store */
async function routerOver(store) {
  const router = createRouter({ policy: rest(), store })
  for (const each of [Author, Article]) router.prepare(each)
  await router.open()
  return router
}
