// What the log of changes adds to a write, and what an event of a live list uses: the processor
// time of writes with subscribers, without that of as many writes before there were any.

import { fileURLToPath } from 'node:url'
import { run, stop } from '../harness/processes.mjs'
import { ask, requestsOf, waitMs } from './load-process.mjs'
import { medians } from './medians.mjs'
import { subscribe } from './subscribers.mjs'

const FILE = fileURLToPath(new URL('load.mjs', import.meta.url))
const SUBSCRIBERS = 20
/** Events come in groups, which have this time between them at most. */
const MS_UNTIL_SETTLED = 300

/**
 * @typedef {object} EventCost microseconds
 * @property {number} loggedPatchUs of the service, of a change that is logged
 * @property {number} loggedPatchDatabaseUs of the database server
 * @property {number} eventUs of the service, of one event for one subscriber
 */

/**
 * @param {ReturnType<typeof import('./start-service.mjs').services>} services
 * @param {import('./measure.mjs').Options} options
 * @returns {Promise<EventCost>}
 */
export function measureEvents({ withService }, options) {
  return withService({ ...options, hasLog: true }, async (service) => {
    const load = run(FILE, [])
    const { port } = service
    const seconds = options.seconds * options.rounds

    /** Writes for a while, and waits until all events have come. */
    const writes = async (/** @type {number} */ seconds) => {
      const before = await service.usage()
      const start = { patch: 1 }
      await ask(load, { start, port, books: options.books, connections: 2 })
      await waitMs(seconds * 1_000)
      await ask(load, 'stop')
      await waitMs(MS_UNTIL_SETTLED)
      const [after, count] = [await service.usage(), await requestsOf(load)]
      return {
        count,
        serviceUs: after.serviceUs - before.serviceUs,
        databaseUs: after.databaseUs - before.databaseUs,
      }
    }

    const subscribers = []
    try {
      await writes(options.warmup)
      const quiet = await writes(seconds)
      for (let index = 0; index < SUBSCRIBERS; index++) subscribers.push(await subscribe(port))
      await writes(options.warmup)
      const eventsBefore = eventsOf(subscribers)
      const followed = await writes(seconds)
      const events = eventsOf(subscribers) - eventsBefore
      if (events !== followed.count * SUBSCRIBERS)
        throw new Error(`${events} events came, of ${followed.count} changes for ${SUBSCRIBERS}.`)
      const loggedPatchUs = quiet.serviceUs / quiet.count
      const eventUs = (followed.serviceUs - followed.count * loggedPatchUs) / events
      return medians([
        {
          loggedPatchUs,
          loggedPatchDatabaseUs: quiet.databaseUs / quiet.count,
          eventUs: Math.max(0, eventUs),
        },
      ])
    } finally {
      for (const { close } of subscribers) close()
      await stop(load)
    }
  })
}

/** @param {{ events: () => number }[]} subscribers */
const eventsOf = (subscribers) => subscribers.reduce((sum, { events }) => sum + events(), 0)
