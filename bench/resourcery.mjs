// The library over SQLite.

import { subscribe } from 'node:diagnostics_channel'
import { fileBlobs } from 'resourcery/files'
import { serve } from 'resourcery/node'
import { sqlite } from 'resourcery/sqlite'
import { bookstore } from './bookstore.mjs'
import { databaseFile, durability, HOST, PORT, serving } from './harness/child.mjs'

const store = sqlite(databaseFile('resourcery'), { durability })
const blobs = fileBlobs(`${databaseFile('resourcery')}-blobs`, { durability })
const routers = await bookstore({ store, blobs })

let commits = 0
let transactions = 0
subscribe('resourcery:sqlite:commit', (message) => {
  commits++
  transactions += /** @type {{ transactions: number }} */ (message).transactions
})
const server = await serve(routers, { host: HOST, port: PORT })
serving(
  server.port,
  async () => {
    await server.close()
    await store.close()
  },
  () => ({ transactionsPerCommit: commits === 0 ? null : transactions / commits }),
)
