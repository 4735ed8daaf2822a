import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

/**
 * Ends every server whose files are in a folder, paused ones too, and deletes the folder.
 *
 * @param {string} folder
 */
export async function stopServers(folder) {
  if (!existsSync(folder)) return
  for (const pid of readdirSync(folder).flatMap((name) => serverIds(join(folder, name))))
    await stopServer(pid)
  await rm(folder, { recursive: true, force: true })
}

/** @param {string} folder */
function serverIds(folder) {
  return [join(folder, 'data/postmaster.pid'), join(folder, 'pgbouncer.pid')]
    .filter((file) => existsSync(file))
    .map((file) => Number.parseInt(readFileSync(file, 'utf8'), 10))
    .filter((pid) => pid > 0)
}

/** @param {number} pid */
async function stopServer(pid) {
  for (const id of [...processesBelow(pid), pid]) send(id, 'SIGCONT')
  send(pid, 'SIGQUIT')
  for (let tries = 0; tries < 100 && isRunning(pid); tries++) await wait(50)
  for (const id of [...processesBelow(pid), pid]) send(id, 'SIGKILL')
}

/**
 * The child processes of a server. Each connection has one. Linux only: it reads /proc.
 *
 * @param {number} pid
 * @returns {number[]}
 */
export function processesBelow(pid) {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    return children
      .split(' ')
      .filter((id) => id !== '')
      .map(Number)
  } catch {
    return []
  }
}

/** @param {number} pid */
export function isRunning(pid) {
  return send(pid, 0)
}

/**
 * False if there is no such process.
 *
 * @param {number} pid
 * @param {NodeJS.Signals | 0} signal
 */
export function send(pid, signal) {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
