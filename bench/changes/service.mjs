// The service with subscribers, as a process of its own. Run by bench/changes.mjs.

import { serve } from 'resourcery/node'
import { sqlite } from 'resourcery/sqlite'
import { databaseFile, durability, HOST, PORT, serving } from '../harness/child.mjs'
import { sharedMs } from './clock.mjs'
import { taskRouter } from './tasks.mjs'

/** When the writes were committed, by the numbers of their tasks. @type {number[]} */
const commits = []

const store = sqlite(databaseFile('changes'), { durability })
const feed = { maxSubscribersPerCaller: 10_000, connectionMs: 3_600_000 }
const router = await taskRouter(store, { feed }, (number) => {
  commits[number] = sharedMs()
})
const server = await serve(router, { host: HOST, port: PORT })
serving(
  server.port,
  async () => {
    await server.close()
    await store.close()
  },
  () => {
    globalThis.gc?.()
    return { commits, heapBytes: process.memoryUsage().heapUsed }
  },
)
