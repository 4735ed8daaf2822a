// The processes of a run. Every process is registered here, so that all of them are stopped in any
// case.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** @typedef {import('node:child_process').ChildProcess} Child */

/** @type {Set<Child>} */
const running = new Set()

/**
 * @param {string} file
 * @param {string[]} args
 * @param {Record<string, string>} environment
 * @param {'inherit' | 'pipe' | 'ignore'} errors where its standard error goes
 * @param {string[]} nodeOptions
 * @param {string} [folder] in which it starts; default: that of this process
 */
export function run(file, args, environment = {}, errors = 'inherit', nodeOptions = [], folder) {
  // When the channel closes, the child knows that the harness has ended, even if it was killed.
  const child = spawn(process.execPath, [...nodeOptions, file, ...args], {
    stdio: ['ignore', 'pipe', errors, 'ipc'],
    ...(folder !== undefined && { cwd: folder }),
    env: { ...process.env, NODE_ENV: 'production', ...environment },
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** @param {Child} child */
export async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  const impatience = setTimeout(() => child.kill('SIGKILL'), 5_000)
  await exit
  clearTimeout(impatience)
}

export const stopAll = () => Promise.all([...running].map(stop))
