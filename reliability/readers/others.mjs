import { openConnection } from '../../bench/load/connection.mjs'
import { summary } from '../../bench/load/summary.mjs'

/**
 * How long another client waits for an item, again and again.
 *
 * @param {number} port
 * @param {number} noteCount
 * @param {Promise<unknown>} work until when
 */
export async function othersWait(port, noteCount, work) {
  const { ask, socket } = await openConnection(port)
  /** @type {number[]} */
  const waits = []
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  while (!isOver) {
    const path = `/notes/n${Math.floor(Math.random() * noteCount)}`
    const startedAt = performance.now()
    const { status } = await ask(`GET ${path} HTTP/1.1\r\nhost: localhost\r\n\r\n`)
    if (status !== 200) throw new Error(`${path} was answered with ${status}.`)
    waits.push(performance.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
  socket.destroy()
  await work
  const { p50, p99, max } = summary(waits)
  return { median: p50 ?? 0, p99: p99 ?? 0, longest: max ?? 0 }
}
