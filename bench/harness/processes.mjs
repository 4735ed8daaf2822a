// The processes of a run. All of them are known here, so that whatever happens all of them are
// stopped.

import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** @typedef {import('node:child_process').ChildProcess} Child */

/** @type {Set<Child>} */
const running = new Set()

/**
 * @param {string} file
 * @param {string[]} args
 * @param {Record<string, string>} environment
 * @param {'inherit' | 'pipe'} errors where its standard error goes
 */
export function run(file, args, environment = {}, errors = 'inherit') {
  // The channel carries nothing: its end tells the child that the harness is gone, even when that
  // was killed.
  const child = spawn(process.execPath, [file, ...args], {
    stdio: ['ignore', 'pipe', errors, 'ipc'],
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
