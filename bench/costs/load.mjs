// The load, in a process of its own. It sends one operation, or a mix of them, until told to stop:
//   { start: { operation: share }, port, connections, books }   responds 'sending'
//   'count'   responds with the requests that are done since the start, of each operation
//   'stop'    responds 'stopped' when the last response is in

import { setImmediate } from 'node:timers/promises'
import { chooser, randomOf } from '../harness/random.mjs'
import { openConnection } from '../load/connection.mjs'
import { OPERATIONS } from './operations.mjs'

/** @typedef {import('./operations.mjs').Sender} Sender */

let last = 0
/** @type {import('./operations.mjs').Bookstore} */
const store = { books: 0, count: () => last++, created: [] }

let isSending = false
/** @type {Record<string, number>} */
let counts = {}
/** @type {Promise<unknown>} */
let driven = Promise.resolve()

process.on('message', async (/** @type {any} */ message) => {
  if (message === 'count') return process.send?.({ ...counts })
  if (message === 'stop') {
    isSending = false
    await driven
    return process.send?.('stopped')
  }
  try {
    store.books = message.books
    counts = {}
    isSending = true
    const opened = await Promise.all(
      Array.from({ length: message.connections }, (_, index) => open(index, message)),
    )
    stayAwake()
    driven = Promise.all(opened.map((drive) => drive()))
    driven.catch(fail)
    process.send?.('sending')
  } catch (error) {
    fail(error)
  }
})
process.once('disconnect', () => process.exit(0))

/** A load that never sleeps is not woken by the service, which would count as its cost. */
function stayAwake() {
  if (isSending) global.setImmediate(stayAwake)
}

/** @param {unknown} error */
function fail(error) {
  console.error(error)
  process.exit(1)
}

/**
 * @param {number} index
 * @param {{ start: Record<string, number>, port: number }} message
 */
async function open(index, { start, port }) {
  const connection = await openConnection(port)
  const names = Object.keys(start)
  /** @type {Record<string, Sender>} */
  const senders = {}
  for (const name of names) {
    const senderOf = OPERATIONS[name]
    if (!senderOf) throw new Error(`There is no operation '${name}'.`)
    senders[name] = await senderOf(store, index, connection.ask)
  }
  const choose = chooser(randomOf(index + 1), start)
  return async () => {
    while (isSending) {
      const name = choose()
      const sender = /** @type {Sender} */ (senders[name])
      const request = sender.next()
      if (request === undefined) {
        await setImmediate()
        continue
      }
      const response = await connection.ask(request)
      if (response.status !== sender.status)
        throw new Error(`${name}: ${response.status} for ${sender.status}: ${response.error}`)
      sender.onResponse?.(response)
      counts[name] = (counts[name] ?? 0) + 1
    }
    connection.socket.destroy()
  }
}
