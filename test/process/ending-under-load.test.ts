import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import sharp from 'sharp'
import { afterAll, expect, test } from 'vitest'

/** ENDINGS=20 for the long form: how often a service is ended while it works. */
const endings = Number(process.env.ENDINGS ?? 3)

const folder = mkdtempSync(join(tmpdir(), 'ending-under-load-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Prints, just before it exits, which files of the folder it still has open. */
const program = `
import { readdirSync, readlinkSync } from 'node:fs'
import { createRouter, image, model } from 'resourcery'
import { fileBlobs } from 'resourcery/files'
import { closeOnSignals, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
import { z } from 'zod'

const { folder, items } = JSON.parse(process.argv[1])
const Book = model('book', {
  title: z.string(),
  rank: z.int(),
  cover: image({ variants: { formats: ['avif', 'webp'], sizes: [128, 256] } }),
})
/** Clients that are disconnected at the end have interrupted scans. */
const onError = (error) => {
  if (error.name !== 'StoreUnavailable') console.error(error)
}
const store = sqlite(folder + '/books.db', { durability: 'normal', maxScanThreads: 2 })
const router = createRouter({ policy: rest(), store, blobs: fileBlobs(folder + '/blobs'), basePath: '/api', onError })
router.prepare(Book)
await router.open()
function* books() {
  for (let index = 0; index < items; index++)
    yield { id: 'b-' + index, title: ('Title ' + (index * 7919) % items).padEnd(300, ' x'), rank: index % 1000 }
}
await router.load(Book, books())
const server = await serve(router, { shutdownTimeoutMs: 1_000, onError })
let isClosed = false
closeOnSignals({
  close: async () => {
    await server.close()
    isClosed = true
  },
})
process.once('exit', () => {
  const held = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      const file = readlinkSync('/proc/self/fd/' + fd)
      return file.startsWith(folder) ? [file] : []
    } catch {
      return []
    }
  })
  console.log(JSON.stringify({ isClosed, held }))
})
process.send(server.port)
process.disconnect()
`

interface Service {
  readonly process: ChildProcess
  readonly port: number
  readonly printed: { out: string; errors: string }
}

async function start(items: number): Promise<Service> {
  const settings = JSON.stringify({ folder, items })
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program, settings], {
    cwd: join(import.meta.dirname, '../..'),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const printed = { out: '', errors: '' }
  child.stdout!.on('data', (text) => {
    printed.out += text
  })
  child.stderr!.on('data', (text) => {
    printed.errors += text
  })
  const ended = once(child, 'exit').then(() => {
    throw new Error(`The service ended: ${printed.errors}`)
  })
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [number]
  ended.catch(() => undefined)
  return { process: child, port, printed }
}

const contains = Array.from({ length: 60 }, (_, index) => `contains(title,'zz${index}')`).join()

/** Requests that take long, each for another reason. */
const paths: readonly string[] = [
  `/api/books?filter=or(${contains})`,
  `/api/books?filter=or(${contains})&withCount=true&page[size]=1&sort=rank`,
  '/api/books?sort=-title&page[size]=100',
  '/api/books?sort=-title,rank',
  '/api/books',
  '/api/books/b-1/cover/avif/128',
  '/api/books/b-2/cover/webp/256',
  '/api/books/b-1/cover',
]

/** Sends each request several times. Half of the clients read the response, the others do not. */
function askAll(port: number): readonly Socket[] {
  return Array.from({ length: 4 * paths.length }, (_, index) => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined)
    socket.write(
      `GET ${encodeURI(paths[index % paths.length]!)} HTTP/1.1\r\nhost: localhost\r\n\r\n`,
    )
    return index % 16 < paths.length ? socket.resume() : socket.pause()
  })
}

async function uploadCovers(port: number): Promise<void> {
  const noise = {
    create: { width: 800, height: 600, channels: 3, background: 'teal', noise: gaussian },
  } as const
  const body = new Uint8Array(await sharp(noise).jpeg().toBuffer())
  for (const id of ['b-1', 'b-2']) {
    const path = `http://127.0.0.1:${port}/api/books/${id}/cover`
    const { status } = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'image/jpeg' },
      body,
    })
    expect(status).toBeLessThan(300)
  }
}

const gaussian = { type: 'gaussian', mean: 128, sigma: 40 } as const

test.skipIf(process.platform !== 'linux')(
  `a service that is asked to end during scans, sorts, streams and images ends cleanly, ${endings} times in a row`,
  async () => {
    for (let time = 0; time < endings; time++) {
      const service = await start(time === 0 ? 20_000 : 0)
      await uploadCovers(service.port)
      const sockets = askAll(service.port)
      await wait(50 + ((time * 137) % 500))
      const exit = once(service.process, 'exit')
      service.process.kill('SIGTERM')
      // Some clients leave by themselves, the others are disconnected.
      if (time % 2 === 1) for (const socket of sockets) socket.destroy()
      const [code, signal] = await exit
      for (const socket of sockets) socket.destroy()
      const file = join(folder, 'books.db-wal')
      const log = existsSync(file) ? statSync(file).size : 0
      const { held } = JSON.parse(service.printed.out) as { held: readonly string[] }
      const { errors } = service.printed
      expect({ time, code, signal, errors, held, log }).toEqual({
        time,
        code: 0,
        signal: null,
        errors: '',
        held: [],
        log: 0,
      })
    }
  },
  60_000 + endings * 20_000,
)
