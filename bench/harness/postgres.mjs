// A PostgreSQL server of the bench's own, with the settings that it comes with.

import { execFileSync } from 'node:child_process'
import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** @typedef {Awaited<ReturnType<typeof startPostgres>>} Postgres */

const DEBIAN = '/usr/lib/postgresql'

/**
 * @param {string} folder for its data and its socket
 * @param {'full' | 'normal'} durability `normal` loses the last commits in a power cut
 */
export async function startPostgres(folder, durability) {
  const programs = programFolder()
  mkdirSync(folder, { recursive: true })
  // Root runs it as another user, who has to reach the folder.
  chmodSync(join(folder, '..'), 0o755)
  if (isRoot) execFileSync('chown', ['postgres', folder])
  const data = join(folder, 'data')
  program(programs, 'initdb', [
    '--pgdata',
    data,
    '--username',
    'postgres',
    '--auth',
    'trust',
    '--encoding',
    'UTF8',
  ])
  appendFileSync(
    join(data, 'postgresql.conf'),
    `listen_addresses = ''\nshared_buffers = 256MB\nsynchronous_commit = ${durability === 'full' ? 'on' : 'off'}\n`,
  )
  const control = (/** @type {string[]} */ ...args) =>
    program(programs, 'pg_ctl', ['-D', data, '-s', '-w', ...args])
  control('start', '-l', join(folder, 'log'), '-o', `-k ${folder}`)
  const psql = (/** @type {string} */ sql, database = 'postgres') =>
    program(programs, 'psql', ['-h', folder, '-U', 'postgres', '-d', database, '-qc', sql])
  const url = (/** @type {string} */ name) => `postgres://postgres@localhost/${name}?host=${folder}`

  return {
    /**
     * @param {string} name
     * @param {string} template a database that nobody uses
     * @returns {string} its URL
     */
    createDatabase(name, template = 'template0') {
      psql(`create database ${name} template ${template}`)
      return url(name)
    },

    /** @param {string} name */
    dropDatabase: (name) => psql(`drop database ${name} with (force)`),

    /** @param {string} name */
    analyze: (name) => psql('vacuum analyze', name),

    async stop() {
      control('stop', '-m', 'immediate')
    },
  }
}

const isRoot = process.getuid?.() === 0

/**
 * @param {string} folder
 * @param {string} name
 * @param {string[]} args
 */
function program(folder, name, args) {
  const command = [join(folder, name), ...args]
  const [file = '', ...rest] = isRoot
    ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups', ...command]
    : command
  // A server that inherits a pipe keeps it open, so nothing is read here.
  execFileSync(file, rest, { cwd: '/', stdio: ['ignore', 'ignore', 'inherit'] })
}

export function programFolder() {
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).map((version) => join(DEBIAN, version, 'bin'))
    : []
  const paths = (process.env.PATH ?? '').split(':')
  const folder = [...versions.reverse(), ...paths].find((path) => existsSync(join(path, 'initdb')))
  if (!folder) throw new Error('There is no PostgreSQL here: install it, or leave its servers out.')
  return folder
}
