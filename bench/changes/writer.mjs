// Writes tasks: as many in a second as are offered, or as many as the service completes.

import { setTimeout as wait } from 'node:timers/promises'
import { openConnection } from '../load/connection.mjs'
import { summary } from '../load/summary.mjs'
import { authorization, TASKS_PER_TEAM, TEAMS, taskId, WRITER } from './tasks.mjs'

const CONNECTIONS = 16

/**
 * @typedef {object} Writes
 * @property {number} writes
 * @property {number} perSecond
 * @property {number | null} p50 milliseconds
 * @property {number | null} p99
 */

/** @param {number} port */
export function taskWriter(port) {
  /** @type {import('../load/connection.mjs').Connection[]} */
  let idle = []
  let number = 0

  /** @param {number[]} latencies @param {number} sentAt */
  const write = async (latencies, sentAt) => {
    // In turns: the service closes connections on which no request comes for long.
    const connection = idle.shift() ?? (await openConnection(port))
    const { status, error } = await connection.ask(requestOf(port, number++))
    idle.push(connection)
    if (status !== 200) throw new Error(`A write got ${status}: ${error}`)
    latencies.push(performance.now() - sentAt)
  }

  const close = () => {
    for (const { socket } of idle) socket.destroy()
    idle = []
  }

  return {
    /** The number of the next task that is written. */
    get next() {
      return number
    },

    /**
     * Sends requests by the clock, whether or not the service keeps up.
     *
     * @param {number} rate in a second
     * @param {number} seconds
     * @returns {Promise<Writes>}
     */
    async offer(rate, seconds) {
      /** @type {number[]} */
      const latencies = []
      const startedAt = performance.now()
      /** @type {Promise<void>[]} */
      const writes = []
      for (let index = 0; index < rate * seconds; index++) {
        const dueAt = startedAt + (index * 1_000) / rate
        const early = dueAt - performance.now()
        if (early > 1) await wait(early)
        writes.push(write(latencies, dueAt))
      }
      await Promise.all(writes)
      close()
      return figures(latencies, startedAt)
    },

    /**
     * @param {number} seconds
     * @returns {Promise<Writes>}
     */
    async most(seconds) {
      /** @type {number[]} */
      const latencies = []
      const startedAt = performance.now()
      const drive = async () => {
        while (performance.now() < startedAt + seconds * 1_000)
          await write(latencies, performance.now())
      }
      await Promise.all(Array.from({ length: CONNECTIONS }, drive))
      close()
      return figures(latencies, startedAt)
    },
  }
}

/**
 * @param {number[]} latencies
 * @param {number} startedAt
 */
function figures(latencies, startedAt) {
  const seconds = (performance.now() - startedAt) / 1_000
  const { p50, p99 } = summary(latencies)
  return { writes: latencies.length, perSecond: latencies.length / seconds, p50, p99 }
}

/**
 * @param {number} port
 * @param {number} number
 */
function requestOf(port, number) {
  const id = taskId(number % TEAMS, Math.floor(number / TEAMS) % TASKS_PER_TEAM)
  const body = JSON.stringify({ task: { number } })
  return `PATCH /api/tasks/${id} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: ${authorization(WRITER)}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
}
