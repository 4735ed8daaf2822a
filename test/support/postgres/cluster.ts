import { appendFile, mkdir, mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { postgresFolder } from './binaries.ts'
import { oncePerRun, runFolder } from './once-per-run.ts'
import { giveToUser, runProgram } from './run-program.ts'

/** What is the same in all servers of tests. */
const settings = `
listen_addresses = ''
max_connections = 200
shared_buffers = 32MB
fsync = off
full_page_writes = off
deadlock_timeout = 100ms
log_line_prefix = '@%d@ '
log_min_messages = warning
`

/** A new folder of this run, for the files of one server. */
export async function newServerFolder(): Promise<string> {
  const folder = await mkdtemp(join(runFolder(), 's'))
  await giveToUser(folder)
  return folder
}

/**
 * Creates the data of a new server in `data` of a folder. `initdb` takes longer than a copy of what
 * it makes, so that it runs once.
 */
export async function createCluster(folder: string): Promise<void> {
  const template = join(runFolder(), 'template')
  await oncePerRun('template', async () => {
    await mkdir(template)
    await giveToUser(template)
    await initialize(join(template, 'data'))
    await appendFile(join(template, 'data/postgresql.conf'), settings)
  })
  await runProgram('cp', ['-a', join(template, 'data'), join(folder, 'data')])
}

async function initialize(data: string): Promise<void> {
  const common = ['--pgdata', data, '--username', 'postgres', '--auth', 'trust', '--no-sync']
  const format = ['--encoding', 'UTF8', '--locale', 'C.UTF-8', '--wal-segsize', '1']
  // An order that is not the one of code points shows where a column or query lacks its collation.
  const collation = ['--locale-provider', 'icu', '--icu-locale', 'en-US']
  const initdb = join(postgresFolder!, 'initdb')
  const { major } = await serverVersion()
  await runProgram(initdb, [...common, ...format, ...(major < 15 ? [] : collation)])
}

async function serverVersion(): Promise<{ readonly major: number }> {
  const text = await runProgram(join(postgresFolder!, 'postgres'), ['--version'])
  return { major: Number(/\d+/.exec(text)) }
}
