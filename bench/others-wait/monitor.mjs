// Runs inside the service, with `node --import`: measures how long the event loop was blocked at a
// time, without the time in which the machine gave the process no processor, and the size of the
// heap.

import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'

const everyMs = 10

if (isMainThread && process.send) watch()

function watch() {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  let heldMs = 0
  let last = performance.now()
  let lastQueued = queuedMs()
  const look = () => {
    const now = performance.now()
    const queued = queuedMs()
    heldMs = Math.max(heldMs, now - last - everyMs - (queued - lastQueued))
    last = now
    lastQueued = queued
  }
  setInterval(look, everyMs).unref()
  process.on('message', (query) => {
    // Child processes of the service inherit this module, and get messages of their own.
    if (query !== 'look' && query !== 'collect') return
    look()
    const response = { heldMs, memory: process.memoryUsage() }
    heldMs = 0
    if (query === 'collect') {
      collect()
      last = performance.now()
    }
    process.send?.(response)
  })
  process.channel?.unref()
}

/** How long this thread waited for a processor; 0 where the system does not report it. */
function queuedMs() {
  try {
    return Number(readFileSync('/proc/thread-self/schedstat', 'utf8').split(' ')[1]) / 1e6
  } catch {
    return 0
  }
}
