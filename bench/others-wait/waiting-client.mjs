// The client whose waiting time is measured: it requests one book after the other, in a process of
// its own, and reports how long each response took.
//   node bench/others-wait/waiting-client.mjs <port> <number of books>

import { setTimeout as wait } from 'node:timers/promises'
import { openConnection } from '../load/connection.mjs'
import { get } from '../load/requests.mjs'
import { bookId } from './data.mjs'

const [port, books] = process.argv.slice(2).map(Number)
const pauseMs = 5

/** @type {number[]} */
let waits = []
let failures = 0
let startTime = performance.now()

process.on('message', () => {
  // A pending request has waited too.
  const open = performance.now() - startTime
  const sorted = [...waits, ...(open > 50 ? [open] : [])].sort((entry, other) => entry - other)
  process.send?.({
    answers: sorted.length,
    p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0,
    worst: sorted.at(-1) ?? 0,
    open,
    failures,
  })
  waits = []
  failures = 0
})
process.once('disconnect', () => process.exit(0))

/** @type {Awaited<ReturnType<typeof openConnection>> | undefined} */
let connection
for (let index = 0; ; index++) {
  // Books far from one another, and from the attacked items.
  const id = bookId(Math.floor(((index * 0.618_034) % 1) * (books ?? 1)))
  startTime = performance.now()
  try {
    connection ??= await openConnection(port ?? 0)
    const { status } = await connection.ask(get(`/api/books/${id}`))
    if (status !== 200) failures++
  } catch {
    // The service may close a connection that was idle for long; that is no failure.
    connection?.socket.destroy()
    connection = undefined
    failures++
  }
  waits.push(performance.now() - startTime)
  startTime = performance.now() + pauseMs
  await wait(pauseMs)
}
