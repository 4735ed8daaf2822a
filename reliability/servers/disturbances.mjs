import { setTimeout as wait } from 'node:timers/promises'

/** @typedef {import('../harness/postgres-server.mjs').PostgresServer} PostgresServer */
/** @typedef {import('../harness/link.mjs').Link} Link between the service and the server */

/**
 * @typedef {object} Disturbance
 * @property {string} name
 * @property {(server: PostgresServer, link: Link, round: number, isShort: boolean) =>
 * Promise<unknown>} cause ends when the server is there again
 */

/** @type {readonly Disturbance[]} */
export const disturbances = [
  {
    name: 'restarted',
    async cause(server) {
      await server.stop()
      await server.start()
    },
  },
  {
    name: 'frozen',
    async cause(server, _, round, isShort) {
      server.pause()
      // Statements end after 10 s; every other time they do.
      await wait(isShort ? 1_500 : round % 2 === 0 ? 3_000 : 13_000)
      server.resume()
    },
  },
  {
    name: 'cut off',
    async cause(_, link) {
      link.reset()
    },
  },
]
