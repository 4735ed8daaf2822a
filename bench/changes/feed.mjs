// What thousands of subscribers cost the service, and how soon they have what was written.

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { run, stop } from '../harness/processes.mjs'
import { processorTime } from '../load/processor-time.mjs'
import { residentBytes } from '../load/resident-bytes.mjs'
import { TEAMS } from './tasks.mjs'
import { taskWriter } from './writer.mjs'

/** Subscribers before the others, so that the memory of the others has no compiled code in it. */
const FIRST = 200
const MS_UNTIL_SETTLED = 2_000
/** After which an event that did not come is missing. */
const MS_UNTIL_MISSING = 5_000

/**
 * @typedef {object} Delivery
 * @property {number} expected events
 * @property {number} missing of them
 * @property {number} twice
 * @property {number} unexpected of other teams, or a reset
 * @property {number | null} p50 milliseconds from the commit to the event
 * @property {number | null} p99
 * @property {number | null} max
 */
/**
 * @typedef {object} FeedFigures
 * @property {import('./writer.mjs').Writes} quiet the offered writes, without subscribers
 * @property {import('./writer.mjs').Writes} quietMost as many as can be
 * @property {import('./writer.mjs').Writes} writes the offered ones, with subscribers
 * @property {import('./writer.mjs').Writes} most
 * @property {Delivery} delivery
 * @property {Delivery} stalledDelivery to those who read, while others do not
 * @property {Delivery} lateDelivery to all, once they read on
 * @property {number} processorMicroseconds of the service for each event
 * @property {number} bytesPerSubscriber resident
 * @property {number} growthBytes while a fifth did not read
 */

/**
 * @param {{ subscribers: number, rate: number, seconds: number, durability: string }} options
 * @returns {Promise<FeedFigures>}
 */
export async function measureFeed({ subscribers, rate, seconds, durability }) {
  const folder = mkdtempSync(join(tmpdir(), 'resourcery-changes-'))
  const service = run(
    join(import.meta.dirname, 'service.mjs'),
    [],
    { DATA_DIR: folder, DURABILITY: durability },
    'inherit',
    ['--expose-gc'],
  )
  const clients = run(join(import.meta.dirname, 'subscribers.mjs'), [])
  const pid = /** @type {number} */ (service.pid)
  try {
    const [line] = await once(createInterface(/** @type {any} */ (service.stdout)), 'line')
    const port = Number(/:(\d+)$/.exec(line)?.[1])
    const ask = async (/** @type {any} */ process, /** @type {any} */ question) => {
      const answered = once(process, 'message')
      process.send(question)
      return (await answered)[0]
    }
    const writer = taskWriter(port)
    const tell = (/** @type {any} */ message) => clients.send(message)
    const settledBytes = async () => {
      await wait(MS_UNTIL_SETTLED)
      await ask(service, 'facts')
      return residentBytes(pid)
    }
    const deliveryOf = async (/** @type {number} */ from, withoutPaused = false) => {
      // The service collects garbage before it answers, which the last events must not wait for.
      await wait(MS_UNTIL_SETTLED)
      const { commits } = await ask(service, 'facts')
      const to = writer.next
      const deadline = performance.now() + MS_UNTIL_MISSING
      for (;;) {
        /** @type {Delivery} */
        const delivery = await ask(clients, { commits, from, to, withoutPaused })
        if (delivery.missing === 0 || performance.now() > deadline) return delivery
        await wait(500)
      }
    }

    await writer.most(1)
    const quiet = await writer.offer(rate, seconds)
    const quietMost = await writer.most(Math.min(seconds, 5))

    await ask(clients, { open: FIRST, port })
    await writer.offer(rate, 2)
    const before = await settledBytes()
    await ask(clients, { open: subscribers - FIRST, port })
    const opened = await settledBytes()

    // The code that writes events is compiled before it is measured.
    await writer.offer(rate, 3)
    await settledBytes()
    tell('begin')
    const first = writer.next
    const processorBefore = processorTime(pid) ?? Number.NaN
    const writes = await writer.offer(rate, seconds)
    const delivery = await deliveryOf(first)
    const processorSeconds = (processorTime(pid) ?? Number.NaN) - processorBefore

    const flowing = await settledBytes()
    tell('begin')
    const stalledFirst = writer.next
    tell('pause')
    await writer.offer(rate, seconds)
    const stalledDelivery = await deliveryOf(stalledFirst, true)
    const stalled = await settledBytes()
    tell('resume')
    await wait(MS_UNTIL_SETTLED)
    const lateDelivery = await deliveryOf(stalledFirst)

    const most = await writer.most(Math.min(seconds, 5))
    return {
      quiet,
      quietMost,
      writes,
      most,
      delivery,
      stalledDelivery,
      lateDelivery,
      processorMicroseconds: (processorSeconds * 1e6) / delivery.expected,
      bytesPerSubscriber: (opened - before) / (subscribers - FIRST),
      growthBytes: stalled - flowing,
    }
  } finally {
    await Promise.all([stop(service), stop(clients)])
    rmSync(folder, { recursive: true, force: true })
  }
}

/** So many of the subscribers should get each write. @param {number} subscribers */
export const subscribersPerWrite = (subscribers) => subscribers / TEAMS
