// Services of the harness, with all of their processes.

import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { run } from '../../bench/harness/processes.mjs'
import { processesBelow, send } from '../../test/support/postgres/stop-servers.mjs'
import { hasEnded } from './has-ended.mjs'

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/**
 * @typedef {object} Facts of a service that is one process
 * @property {number} residentMiB
 * @property {number} heapMiB
 * @property {number} timers
 * @property {number} descriptors
 * @property {Record<string, number>} [statuses] how often there was each, where they are observed
 */

/**
 * Starts a program that prints where it listens.
 *
 * @param {string} file
 * @param {{ args?: string[], environment?: Record<string, string>, nodeOptions?: string[],
 * folder?: string }} options
 */
export async function startService(file, options) {
  const { args = [], environment = {}, nodeOptions = [], folder } = options
  const child = run(file, args, environment, 'pipe', nodeOptions, folder)
  const pid = child.pid ?? 0
  let output = ''
  const stdout = /** @type {import('node:stream').Readable} */ (child.stdout)
  /** @type {number} */
  const port = await new Promise((resolve, reject) => {
    stdout.on('data', (text) => {
      const [, found] = /http:\/\/[\d.]+:(\d+)/.exec(String(text)) ?? []
      if (found) resolve(Number(found))
    })
    child.stderr?.on('data', (text) => {
      // The first errors are enough.
      if (output.length < 8_000) output += text
    })
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}: ${output}`)))
  })
  const exit = once(child, 'exit')

  return {
    child,
    pid,
    port,
    /** What its processes have printed to standard error. */
    errors: () => output,
    workers: () => processesBelow(pid),
    /** @returns {Promise<Facts>} */
    async facts() {
      const answered = once(child, 'message')
      child.send('facts')
      return { ...(await answered)[0], descriptors: readdirSync(`/proc/${pid}/fd`).length }
    },
    /** Kills all of its processes, so that none finishes anything. */
    async kill() {
      const workers = processesBelow(pid)
      for (const id of [pid, ...workers]) send(id, 'SIGKILL')
      await exit
      while (!workers.every(hasEnded)) await wait(2)
    },
    async stop() {
      child.kill('SIGTERM')
      await exit
    },
  }
}
