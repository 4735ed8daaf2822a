// Thousands of clients that follow tasks, in one process. They are raw sockets, because a client of
// Node costs more for each event than the service, and would be measured instead.
//   { open: count, port }     opens more of them
//   'begin'                   forgets what has come
//   'pause', 'resume'         some of them do not read
//   { commits, from, to }     what came of the tasks with these numbers, and how long it took

import { connect } from 'node:net'
import { summary } from '../load/summary.mjs'
import { sharedMs } from './clock.mjs'
import { authorization, callerOf, filterOf, TEAMS } from './tasks.mjs'

/** How many connections are opened at once. */
const AT_ONCE = 50
/** Of so many subscribers, one is paused. */
const PAUSED_OF = 5

/**
 * @typedef {object} Subscriber
 * @property {import('node:net').Socket} socket
 * @property {number} team
 * @property {number} index
 * @property {string} rest text that may be the beginning of an event
 */

/** @type {Subscriber[]} */
const subscribers = []
/** What came, in the order in which it came: subscriber, number, time. @type {number[]} */
const arrivals = []

process.on('message', async (/** @type {any} */ message) => {
  if (message.open) {
    for (let left = message.open; left > 0; left -= AT_ONCE)
      await Promise.all(
        Array.from({ length: Math.min(left, AT_ONCE) }, () => subscribe(message.port)),
      )
    process.send?.('open')
  } else if (message === 'begin') arrivals.length = 0
  else if (message === 'pause') for (const { socket } of paused()) socket.pause()
  else if (message === 'resume') for (const { socket } of paused()) socket.resume()
  else process.send?.(outcome(message))
})
process.once('disconnect', () => process.exit(0))

const paused = () => subscribers.filter(({ index }) => index % PAUSED_OF === 0)

/**
 * @param {number} port
 * @returns {Promise<void>} settles once its stream has begun
 */
function subscribe(port) {
  return new Promise((resolve, reject) => {
    const index = subscribers.length
    // A fifth of each team pauses.
    const team = Math.floor(index / PAUSED_OF) % TEAMS
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    const subscriber = { socket, team, index, rest: '' }
    subscribers.push(subscriber)
    let isOpen = false
    socket.on('connect', () =>
      socket.write(
        `GET /api/tasks/changes?${filterOf(team)} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\naccept: text/event-stream\r\nauthorization: ${authorization(callerOf(team))}\r\n\r\n`,
      ),
    )
    socket.on('data', (bytes) => {
      const text = subscriber.rest + bytes.toString('latin1')
      if (!isOpen) {
        if (!text.startsWith('HTTP/1.1 200 ')) return reject(new Error(text))
        if (!text.includes('retry:')) {
          subscriber.rest = text
          return
        }
        isOpen = true
        resolve()
      }
      subscriber.rest = readEvents(text, subscriber)
    })
    socket.on('error', reject)
    socket.on('close', () => {
      console.error(`The stream of subscriber ${index} ended.`)
      process.exitCode = 1
    })
  })
}

/**
 * @param {string} text
 * @param {Subscriber} subscriber
 * @returns {string} what may be the beginning of an event
 */
function readEvents(text, { index }) {
  const end = text.lastIndexOf('\n\n')
  if (end < 0) return text
  const now = sharedMs()
  for (let start = 0; ; ) {
    const found = text.indexOf('"number":', start)
    if (found < 0 || found > end) break
    start = found + 9
    arrivals.push(index, Number.parseInt(text.slice(start, start + 12), 10), now)
  }
  if (text.includes('event: reset')) arrivals.push(index, -1, now)
  return text.slice(end + 2)
}

/**
 * @param {{ commits: readonly number[], from: number, to: number, withoutPaused: boolean }} what
 */
function outcome({ commits, from, to, withoutPaused }) {
  /** @type {number[]} */
  const latencies = []
  const seen = new Map()
  let unexpected = 0
  const isMeasured = (/** @type {number} */ index) => !withoutPaused || index % PAUSED_OF !== 0
  for (let at = 0; at < arrivals.length; at += 3) {
    const index = arrivals[at] ?? 0
    const number = arrivals[at + 1] ?? 0
    const ms = arrivals[at + 2] ?? 0
    if (!isMeasured(index)) continue
    if (number < from || number >= to || number % TEAMS !== subscribers[index]?.team) {
      unexpected++
      continue
    }
    const key = index * 1_000_000 + number
    seen.set(key, (seen.get(key) ?? 0) + 1)
    latencies.push(ms - (commits[number] ?? Number.NaN))
  }
  let expected = 0
  for (const { index, team } of subscribers) {
    if (!isMeasured(index)) continue
    for (let number = from; number < to; number++) if (number % TEAMS === team) expected++
  }
  let twice = 0
  for (const count of seen.values()) if (count > 1) twice++
  return { expected, missing: expected - seen.size, twice, unexpected, ...summary(latencies) }
}
