// The library over SQLite. With the argument `hooks` it has a hook before each write of a book;
// with `access`, rules of books that anyone may read.

import { subscribe } from 'node:diagnostics_channel'
import { fileBlobs } from 'resourcery/files'
import { serve } from 'resourcery/node'
import { sqlite } from 'resourcery/sqlite'
import { beforeWrite, bookstore } from './bookstore.mjs'
import { databaseFile, durability, HOST, overload, PORT, serving } from './harness/child.mjs'

const store = sqlite(databaseFile('resourcery'), { durability })
const blobs = fileBlobs(`${databaseFile('resourcery')}-blobs`, { durability })
const routers = await bookstore(
  { store, blobs },
  {
    middleware: process.argv[2] === 'hooks' ? [beforeWrite] : [],
    hasAccess: process.argv[2] === 'access',
  },
)

let commits = 0
let transactions = 0
subscribe('resourcery:sqlite:commit', (message) => {
  commits++
  transactions += /** @type {{ transactions: number }} */ (message).transactions
})
const server = await serve(routers, { host: HOST, port: PORT, overload })
serving(
  server.port,
  async () => {
    await server.close()
    await store.close()
  },
  () => ({ transactionsPerCommit: commits === 0 ? null : transactions / commits }),
)
