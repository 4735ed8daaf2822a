import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { onTestFinished } from 'vitest'
import { childrenOf } from '../child-processes.ts'
import { temporaryFolder } from '../documentation.ts'

/** Books, and the id of the process that responds, also after some time. */
const program = `
import { createRouter, field, hash, model, respond } from 'resourcery'
import { memory } from 'resourcery/memory'
import { closeOnSignals, serve } from 'resourcery/node'
import { postgres } from 'resourcery/postgres'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'

const settings = JSON.parse(process.argv[2])
const isWorker = process.send !== undefined
if (isWorker && existsSync(settings.folder + '/broken')) throw new Error('The module is broken.')
const store = settings.url
  ? postgres(settings.url, { maxConnections: 3 })
  : sqlite(settings.folder + '/books.db', { durability: 'normal' })
const router = createRouter({ policy: rest(), basePath: '/api', store, changes: true, idempotency: true })
const title = existsSync(settings.folder + '/renamed')
  ? { heading: field(z.string(), { was: 'title' }) }
  : { title: z.string() }
router.prepare(model('book', { ...title, price: z.number().optional(), hash: hash() }))
if (isWorker && existsSync(settings.folder + '/broken-later')) {
  await router.open()
  throw new Error('The module is broken after its change of the store.')
}
const pid = {
  basePath: '/pid',
  respond: async ({ path }) => {
    await wait(Number(path.split('/')[2] ?? 0))
    return respond(200, {}, String(process.pid))
  },
}
// What a program would get that the worker starts.
const environment = {
  basePath: '/environment',
  respond: async () => respond(200, {}, spawnSync('env', { encoding: 'utf8' }).stdout),
}
const inherited = spawnSync('env', { encoding: 'utf8' }).stdout
const early = { basePath: '/early', respond: async () => respond(200, {}, inherited) }
const server = await serve([router, pid, environment, early], { workers: 3, ...settings.options })
if (settings.closes !== false) closeOnSignals(server)
if (server.role === 'primary') console.log('listens on ' + server.port)
`

/** A service with workers. */
export interface WorkerService {
  readonly port: number
  readonly primary: ChildProcess
  /** The folder of its data. */
  readonly folder: string
  /** What all of its processes have printed. */
  output(): string
  /** The ids of the workers that run. */
  workers(): readonly number[]
  /** The exit code of the primary, or the signal that ended it. */
  readonly ended: Promise<number | string>
}

export interface WorkerServiceSettings {
  /** Of `serve`. */
  readonly options?: object
  /** Of a database; default: a file. */
  readonly url?: string
  /** Does the program call `closeOnSignals`? */
  readonly closes?: boolean
}

/** Starts a service in a folder of its own, and ends it with the test. */
export async function startWorkers(settings: WorkerServiceSettings = {}): Promise<WorkerService> {
  const service = spawnWorkers(settings)
  for (;;) {
    const [, port] = /listens on (\d+)/.exec(service.output()) ?? []
    if (port !== undefined) return { ...service, port: Number(port) }
    const { exitCode } = service.primary
    if (exitCode !== null) throw new Error(`It ended with ${exitCode}:\n${service.output()}`)
    await wait(10)
  }
}

/** Starts a service that need not come to listen. */
export function spawnWorkers(settings: WorkerServiceSettings = {}): Omit<WorkerService, 'port'> {
  const folder = temporaryFolder('workers')
  const module = join(folder, 'main.mjs')
  writeFileSync(module, program)
  const args = [module, JSON.stringify({ ...settings, folder })]
  const primary = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [primary.stdout, primary.stderr])
    stream.on('data', (text) => {
      output += text
    })
  const exited = once(primary, 'exit') as Promise<[number | null, string | null]>
  onTestFinished(async () => {
    primary.kill('SIGKILL')
    await exited
    rmSync(folder, { recursive: true, force: true })
  })
  return {
    primary,
    folder,
    output: () => output,
    workers: () => (primary.exitCode === null ? workersOf(primary.pid!) : []),
    ended: exited.then(([code, signal]) => signal ?? code!),
  }
}

function workersOf(pid: number): readonly number[] {
  return childrenOf(pid).flatMap((child) => (child.isZombie ? [] : [child.pid]))
}
