// One reader reads the whole collection again and again; other connections request items at a low,
// steady rate. Their waiting time is what the list costs other clients.

import { openConnection } from './connection.mjs'
import { getAll, getAnyItem } from './requests.mjs'
import { summary } from './summary.mjs'

const MILLISECONDS_BETWEEN_ITEMS = 5

/**
 * Enough connections that a request never waits for an earlier one: the delay of the server is
 * measured, not a queue of the load.
 */
const PROBERS = 64

/** @param {import('./rates.mjs').Options} options */
export async function measureWholeList({ port, seconds, warmup }) {
  const reader = await openConnection(port)
  const probers = await Promise.all(Array.from({ length: PROBERS }, () => openConnection(port)))
  const warm = performance.now() + warmup * 1_000
  do {
    await expect200(reader, getAll)
    await Promise.all(probers.map((prober, index) => expect200(prober, getAnyItem(index))))
  } while (performance.now() < warm)

  const probe = steadyItems(probers)
  const [firstBytes, totals] = [/** @type {number[]} */ ([]), /** @type {number[]} */ ([])]
  let bytes = 0
  const deadline = performance.now() + seconds * 1_000
  do {
    const startTime = performance.now()
    const response = await expect200(reader, getAll)
    totals.push(performance.now() - startTime)
    firstBytes.push(response.firstByteAt - startTime)
    bytes += response.bytes
  } while (performance.now() < deadline)
  const others = await probe.stop()
  for (const connection of [reader, ...probers]) connection.socket.destroy()
  return {
    requests: totals.length,
    firstByte: summary(firstBytes).p50,
    total: summary(totals).p50,
    others: summary(others),
    bytes,
    errors: {},
  }
}

/** @param {import('./connection.mjs').Connection[]} connections */
function steadyItems(connections) {
  const idle = [...connections]
  /** @type {number[]} */
  const latencies = []
  /** @type {number[]} */
  const due = []
  let index = 0
  /** @type {Promise<void>} */
  let last = Promise.resolve()
  /** @param {import('./connection.mjs').Connection} connection */
  const drain = async (connection) => {
    // If all connections are busy, the waiting time counts from when the request was due.
    for (let since = due.shift(); since !== undefined; since = due.shift()) {
      await expect200(connection, getAnyItem(index++))
      latencies.push(performance.now() - since)
    }
    idle.push(connection)
  }
  const timer = setInterval(() => {
    due.push(performance.now())
    const connection = idle.pop()
    if (connection) last = Promise.all([last, drain(connection)]).then(() => undefined)
  }, MILLISECONDS_BETWEEN_ITEMS)
  return {
    async stop() {
      clearInterval(timer)
      await last
      return latencies
    },
  }
}

/**
 * @param {import('./connection.mjs').Connection} connection
 * @param {string} request
 */
async function expect200(connection, request) {
  const response = await connection.ask(request)
  if (response.status !== 200) throw new Error(`status ${response.status} for 200`)
  return response
}
