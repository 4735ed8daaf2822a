import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'

/**
 * A service in a process of its own, so that its memory and descriptors can be measured apart from
 * those of the test.
 */
export interface MeasuredService {
  readonly address: string
  readonly port: number
  measure(): Promise<Measure>
  stop(): Promise<void>
}

interface Measure {
  /** The memory of the process after a garbage collection, in MiB. */
  readonly memory: number
  readonly connections: number
  /** The number of open files and sockets; 0 where the system does not report it. */
  readonly descriptors: number
}

const program = `
import { createRouter, field, hash, model } from 'resourcery'
import { memory } from 'resourcery/memory'
import { serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'

const { database, items, characters = 400, limits } = JSON.parse(process.argv[1])
const Book = model('book', { title: z.string(), text: z.string().default(''), hash: hash() })
const router = createRouter({ policy: rest(), store: database ? sqlite(database) : memory(), basePath: '/api' })
router.prepare(Book)
await router.open()
function* books() {
  for (let index = 0; index < items; index++) yield { id: 'b' + index, title: 'Title ' + index, text: 'x'.repeat(characters) }
}
await router.load(Book, books())
const server = await serve(router, { limits })
process.on('message', () =>
  server.node.getConnections((_, connections) => {
    gc()
    process.send({ memory: process.memoryUsage().rss / 2 ** 20, connections })
  }),
)
process.send({ address: server.address, port: server.port })
`

/** Serves `/api/books`. @param given.database a file for SQLite; in memory unless given */
export async function measuredService(options: {
  readonly database?: string
  readonly items: number
  /** The length of the text of each item. */
  readonly characters?: number
  readonly limits?: object
}): Promise<MeasuredService> {
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', program, JSON.stringify(options)],
    {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  )
  const ended = once(child, 'exit')
  const { address, port } = await nextMessage<{ address: string; port: number }>(child)
  return {
    address,
    port,
    measure: async () => {
      const telling = nextMessage<{ memory: number; connections: number }>(child)
      child.send('measure')
      return { ...(await telling), descriptors: descriptorsOf(child.pid) }
    },
    stop: async () => {
      child.kill()
      await ended
    },
  }
}

/** The next message of the process. */
function nextMessage<T>(child: ChildProcess): Promise<T> {
  return new Promise((resolve, reject) => {
    const failed = (code: number | null) => reject(new Error(`The service ended with ${code}.`))
    child.once('exit', failed).once('message', (message) => {
      child.off('exit', failed)
      resolve(message as T)
    })
  })
}

/** The number of open files and sockets of a process; 0 where the system does not report it. */
export function descriptorsOf(pid: number | undefined): number {
  const folder = `/proc/${pid}/fd`
  return existsSync(folder) ? readdirSync(folder).length : 0
}
