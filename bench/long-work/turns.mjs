// How long the main thread of this process was busy at a time. Linux only: it reads /proc.

import { readFileSync } from 'node:fs'

/** @typedef {{ ms: number, cpuMs: number }} Turn */

const intervalMs = 2
const file = `/proc/self/task/${process.pid}/schedstat`

/** How long the thread had a processor, in milliseconds. */
const processorMs = () => Number(readFileSync(file, 'utf8').split(' ')[0]) / 1e6

/**
 * @returns {() => readonly Turn[]} the longest turns since it was called last: by the clock, and
 *   how long the thread had a processor, which tells more on a busy machine
 */
export function watchTurns() {
  /** @type {Turn[]} */
  let turns = []
  let lastAt = performance.now()
  let lastProcessor = processorMs()
  setInterval(() => {
    const now = performance.now()
    const processor = processorMs()
    turns.push({ ms: now - lastAt, cpuMs: processor - lastProcessor })
    lastAt = now
    lastProcessor = processor
  }, intervalMs).unref()
  return () => {
    const seen = turns
    turns = []
    return seen
  }
}
