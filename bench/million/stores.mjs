// The stores of the bench, each with a function that runs SQL on the same database, without the
// library.

import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import pg from 'pg'
import { createRouter } from 'resourcery'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { startPostgres } from '../harness/postgres.mjs'
import { models } from './models.mjs'
import { schemaSql } from './schema.mjs'

/**
 * @typedef {import('./requests.mjs').Statement} Statement
 * @typedef {import('resourcery').Router} Router
 * @typedef {{
 *   router: Router
 *   rowsOf?: (statement: Statement) => Promise<import('./documents.mjs').SqlRow[]>
 *   close: () => Promise<unknown>
 * }} Measured
 *   `rowsOf` is undefined where nobody writes SQL for the tables by hand
 */

/** @type {Readonly<Record<string, (folder: string, rows: number) => Promise<Measured>>>} */
export const STORES = {
  postgres: overPostgres,
  'sqlite-tables': (folder, rows) => overTables(folder, rows, false),
  'sqlite-tables-with-planned-indexes': (folder, rows) => overTables(folder, rows, true),
  'sqlite-own-tables': overOwnTables,
  'sqlite-documents': overDocuments,
}

/**
 * @param {string} folder
 * @param {number} rows
 */
async function overPostgres(folder, rows) {
  const server = await startPostgres(join(folder, 'postgres'), 'normal')
  const url = server.createDatabase('sales')
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  for (const statement of schemaSql('postgres', rows)) await client.query(statement)
  server.analyze('sales')
  const router = await routerOver(
    postgres(url, { manage: false, versionSecret: 'a secret of a bench' }),
  )
  return {
    router,
    rowsOf: async (/** @type {Statement} */ { sql, parameters = [] }) => {
      // A prepared statement, as hand-written services have them.
      const name = createHash('sha256').update(sql).digest('hex').slice(0, 20)
      return (await client.query({ name, text: sql, values: parameters })).rows
    },
    async close() {
      await router.close()
      await client.end()
      await server.stop()
    },
  }
}

/**
 * @param {string} folder
 * @param {number} rows
 * @param {boolean} createsPlannedIndexes those that `resourcery plan` prints
 */
async function overTables(folder, rows, createsPlannedIndexes) {
  const file = join(folder, 'tables.db')
  const database = new DatabaseSync(file)
  database.exec('pragma journal_mode = wal; pragma synchronous = normal')
  for (const statement of schemaSql('sqlite', rows)) database.exec(statement)
  const store = sqlite(file, {
    layout: 'tables',
    manage: false,
    versionSecret: 'a secret of a bench',
  })
  const router = await routerOver(
    createsPlannedIndexes ? { ...store, open: openWithPlannedIndexes } : store,
  )
  return measuredSqlite(router, database)

  /** @type {typeof store.open} */
  async function openWithPlannedIndexes(models, options) {
    const steps = (await store.admin?.plan?.(models)) ?? []
    for (const sql of steps.flatMap((step) => ('sql' in step ? step.sql : [])))
      if (sql.startsWith('create index')) database.exec(sql)
    await store.open(models, options)
  }
}

/**
 * The same rows in tables that the library makes.
 *
 * @param {string} folder
 * @param {number} rows
 */
async function overOwnTables(folder, rows) {
  const file = join(folder, 'own-tables.db')
  const router = await routerOver(sqlite(file, { layout: 'tables', durability: 'normal' }))
  await load(router, folder, rows)
  const database = new DatabaseSync(file)
  // For the statements by hand; the index of the library is over date-times of any form.
  database.exec('create index sales_sold_at_by_hand on sales (sold_at, sale_id)')
  return measuredSqlite(router, database)
}

/**
 * The same items in the documents that the library makes by default.
 *
 * @param {string} folder
 * @param {number} rows
 */
async function overDocuments(folder, rows) {
  const router = await routerOver(sqlite(join(folder, 'documents.db'), { durability: 'normal' }))
  await load(router, folder, rows)
  return { router, close: () => router.close() }
}

/**
 * @param {Router} router
 * @param {import('@photostructure/sqlite').DatabaseSyncInstance} database
 * @returns {Measured}
 */
function measuredSqlite(router, database) {
  /** @type {Map<string, import('@photostructure/sqlite').StatementSyncInstance>} */
  const prepared = new Map()
  return {
    router,
    rowsOf: async ({ sql, parameters = [] }) => {
      let statement = prepared.get(sql)
      if (!statement) {
        statement = database.prepare(sql.replace(/\$(\d)/g, '?$1'))
        prepared.set(sql, statement)
      }
      return /** @type {any[]} */ (statement.all(.../** @type {any[]} */ (parameters)))
    },
    async close() {
      await router.close()
      database.close()
    },
  }
}

/**
 * Loads the items that the rows of another program are.
 *
 * @param {Router} router
 * @param {string} folder
 * @param {number} rows
 */
async function load(router, folder, rows) {
  const source = new DatabaseSync(join(folder, 'source.db'))
  source.exec('pragma journal_mode = off; pragma synchronous = off')
  for (const statement of schemaSql('sqlite', rows)) source.exec(statement)
  const items = function* (/** @type {string} */ sql) {
    const page = source.prepare(`select * from (${sql}) where id > ? order by id limit 10000`)
    for (let after = 0; ; ) {
      const rows = /** @type {Record<string, unknown>[]} */ (page.all(after))
      for (const item of rows) {
        const ids = ['id', 'customer', 'product', 'shop'].filter((name) => item[name] != null)
        yield { ...item, ...Object.fromEntries(ids.map((name) => [name, String(item[name])])) }
      }
      if (rows.length === 0) return
      after = Number(rows.at(-1)?.id)
    }
  }
  const [Customer, Product, Shop, Sale] = /** @type {any} */ (models)
  await router.load(Customer, items('select customer_id as id, name, country from customers'))
  await router.load(Product, items('select product_id as id, title from products'))
  await router.load(Shop, items('select shop_id as id, city from shops'))
  await router.load(
    Sale,
    items(
      'select sale_id as id, receipt, sold_at as soldAt, amount, customer_id as customer, product_id as product, shop_id as shop from sales',
    ),
  )
  source.close()
}

/** @param {import('resourcery').Store} store */
async function routerOver(store) {
  const router = createRouter({ policy: rest(), store })
  for (const model of models) router.prepare(model)
  await router.open()
  return router
}
