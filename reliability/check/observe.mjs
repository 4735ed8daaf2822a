// Runs inside a service, with `node --import`: counts its responses by status, and says how large
// its heap is after a garbage collection.

import { subscribe } from 'node:diagnostics_channel'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

if (isMainThread && process.send) observe()

function observe() {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  /** @type {Record<number, number>} */
  const statuses = {}
  subscribe('http.server.response.finish', (message) => {
    const { response } = /** @type {{ response: import('node:http').ServerResponse }} */ (message)
    statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1
  })
  process.on('message', (message) => {
    if (message !== 'facts') return
    collect()
    process.send?.({ heapMiB: process.memoryUsage().heapUsed / 2 ** 20, statuses })
  })
  process.channel?.unref()
}
