// What processes have used so far, as the system counts it. Linux only.

import { readdirSync, readFileSync } from 'node:fs'

const US_PER_TICK = 10_000

/**
 * For how long the thread of the event loop computed, and waited for a processor. Those of the
 * collector and of the file system do not count.
 *
 * @param {number} pid
 */
export function mainThreadOf(pid) {
  const text = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'latin1')
  const [computed = 0, queued = 0] = text.split(' ').map(Number)
  return { computedUs: computed / 1_000, queuedUs: queued / 1_000 }
}

/**
 * Of a server and all of its processes, also those that have ended, in microseconds.
 *
 * @param {number} pid of the process that has started the others
 */
export function serverUs(pid) {
  let ticks = ticksOf(pid, true)
  for (const child of childrenOf(pid)) ticks += ticksOf(child, false)
  return ticks * US_PER_TICK
}

/**
 * Bytes that a process has had written to disks.
 *
 * @param {number} pid
 */
export function writtenBytes(pid) {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'latin1'))?.[1])
}

/**
 * @param {number} pid
 */
export function serverWrittenBytes(pid) {
  let bytes = 0
  for (const each of [pid, ...childrenOf(pid)]) {
    try {
      bytes += writtenBytes(each)
    } catch {
      // It has ended meanwhile.
    }
  }
  return bytes
}

/**
 * @param {number} pid
 * @param {boolean} withEnded the children that have ended
 */
function ticksOf(pid, withEnded) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const fields = text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(11, 15)
    return user + system + (withEnded ? endedUser + endedSystem : 0)
  } catch {
    // It has ended meanwhile.
    return 0
  }
}

/** @param {number} pid */
function childrenOf(pid) {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => parentOf(each) === pid)
}

/** @param {number} pid */
function parentOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return Number(text.slice(text.lastIndexOf(')') + 2).split(' ')[1])
  } catch {
    return undefined
  }
}
