// The library over PostgreSQL. It makes the tables, which the rivals use too.

import { memoryBlobs } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { postgres } from 'resourcery/postgres'
import { bookstore } from './bookstore.mjs'
import { databaseUrl, HOST, overload, PORT, serving } from './harness/child.mjs'

const store = postgres(databaseUrl())
const routers = await bookstore({ store, blobs: memoryBlobs() })
const server = await serve(routers, { host: HOST, port: PORT, overload })
serving(server.port, async () => {
  await server.close()
  await store.close()
})
