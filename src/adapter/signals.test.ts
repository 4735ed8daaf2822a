import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { rawClient, wait } from './raw-client.testing.ts'

/** A process of its own that responds after 300 ms at `/late`, and never at `/never`. */
const program = (source: string) => `
import { closeOnSignals, serve } from ${JSON.stringify(source)}
const text = (text) => ({ status: 200, headers: {}, body: { kind: 'text', text } })
const server = await serve({
  basePath: '',
  respond: ({ path }) => new Promise((resolve) => {
    if (path === '/late') setTimeout(() => resolve(text('late')), 300)
  }),
})
closeOnSignals(server)
console.log(server.port)
`

let folder: string
let child: ChildProcess

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signals-'))
  const entry = join(folder, 'main.js')
  await writeFile(entry, program(fileURLToPath(new URL('./node.ts', import.meta.url))))
  await build({
    configFile: false,
    logLevel: 'error',
    build: {
      ssr: entry,
      outDir: join(folder, 'dist'),
      rollupOptions: { output: { entryFileNames: 'main.mjs' } },
    },
  })
}, 30_000)
afterAll(() => rm(folder, { recursive: true, force: true }))
afterEach(() => child.kill('SIGKILL'))

async function started(): Promise<number> {
  child = spawn(process.execPath, [join(folder, 'dist', 'main.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(child.stdout!, 'data')
  return Number(line)
}

test('a signal lets the request in flight finish, and the process end by itself', async () => {
  const client = await rawClient(await started())
  client.send('GET /late HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await wait(50)
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  expect(await client.readResponse()).toMatchObject({
    body: 'late',
    headers: { connection: 'close' },
  })
  expect(await exit).toEqual([0, null])
})

test('a second signal ends the process at once', async () => {
  const client = await rawClient(await started())
  client.send('GET /never HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await wait(50)
  const exit = once(child, 'exit')
  child.kill('SIGTERM')
  await wait(200)
  expect(child.exitCode).toBe(null)
  child.kill('SIGINT')
  expect(await exit).toEqual([130, null])
  await client.closed
})
