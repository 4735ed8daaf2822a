// Programs that are not ours, such as servers of databases, in a temporary folder.

import { execFile, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, openSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { stopServers } from '../../test/support/postgres/stop-servers.mjs'

/** PostgreSQL refuses to run as root. */
const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : undefined

/** A folder for the files of one run. Names of sockets are short, and so is its own. */
export function newRunFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'rel-'))
  chmodSync(folder, 0o755)
  giveToUser(folder)
  // Ends servers of PostgreSQL if this process is killed: Patroni starts them, and they outlive it.
  const guard = fileURLToPath(new URL('../../test/support/postgres/guard.mjs', import.meta.url))
  const options = /** @type {const} */ ({ detached: true, stdio: 'ignore' })
  spawn(process.execPath, [guard, String(process.pid), folder], options).unref()
  return folder
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()

/**
 * Starts a program as another user where this is root. It ends when this process does.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {string} log the file that gets what it prints
 */
export function startDaemon(program, args, log) {
  const output = openSync(log, 'a')
  const as = user ? [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups'] : []
  const child = spawn('setpriv', ['--pdeathsig=KILL', ...as, program, ...args], {
    cwd: '/',
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', output, output],
  })
  running.add(child)
  child.once('exit', () => running.delete(child))
  return child
}

/** @param {import('node:child_process').ChildProcess} child */
export async function kill(child) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill('SIGKILL')
  await exit
}

/**
 * Ends all programs, and the servers of PostgreSQL in the folder, and deletes it.
 *
 * @param {string} folder
 */
export async function stopAll(folder) {
  await Promise.all([...running].map(kill))
  await stopServers(folder)
}

/**
 * @param {string} program
 * @param {string[]} args
 */
export async function runAsUser(program, args) {
  const { stdout } = await promisify(execFile)(program, args, { cwd: '/', ...user })
  return stdout
}

/** @param {string} path */
export function giveToUser(path) {
  if (user) chownSync(path, user.uid, user.gid)
}

/**
 * Ports of 127.0.0.1 that nobody listens on, below those that the system gives to connections.
 *
 * @param {number} count
 * @returns {Promise<number[]>}
 */
export async function freePorts(count) {
  /** @type {Set<number>} */
  const ports = new Set()
  while (ports.size < count) {
    const port = randomInt(15_000, 32_000)
    const server = createServer().listen(port, '127.0.0.1')
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    )
    if (isFree) ports.add(port)
    server.close()
  }
  return [...ports]
}

/** @param {'-u' | '-g'} option */
function idOf(option) {
  return Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }))
}
