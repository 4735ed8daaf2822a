import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'vite'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { rawClient, wait } from './raw-client.testing.ts'

/**
 * A process of its own that responds after 300 ms at `/late`, and never at `/never`. Its argument
 * says what it has besides the server.
 */
const program = (source: string) => `
import { closeOnSignals, serve } from ${JSON.stringify(source)}
const text = (text) => ({ status: 200, headers: {}, body: { kind: 'text', text } })
const server = await serve({
  basePath: '',
  respond: ({ path }) => new Promise((resolve) => {
    if (path === '/late') setTimeout(() => resolve(text('late')), 300)
  }),
})
const timer = process.argv[2] ? setInterval(() => {}, 1_000) : undefined
const options = {
  ended: { onClose: () => { console.log('closed ' + server.node.listening); clearInterval(timer) } },
  stuck: { onClose: () => new Promise(() => {}), timeoutMs: 500 },
  failing: { onClose: async () => { throw new Error('The pool is lost.') } },
}
closeOnSignals(server, options[process.argv[2]])
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

async function started(...args: readonly string[]): Promise<number> {
  child = spawn(process.execPath, [join(folder, 'dist', 'main.mjs'), ...args], {
    stdio: ['ignore', 'pipe', args.length === 0 ? 'inherit' : 'pipe'],
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

/** What a process with a timer of its own prints after SIGTERM, and its exit code. */
async function endedWith(way: string) {
  await started(way)
  const printed = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name]!.on('data', (data) => {
      printed[name] += data
    })
  const exit = once(child, 'close')
  child.kill('SIGTERM')
  const [code] = await exit
  return { code, ...printed }
}

test('a process ends at once where onClose ends what is its own', async () => {
  expect(await endedWith('ended')).toEqual({ code: 0, stdout: 'closed false\n', stderr: '' })
})

test('a process that a timer of its own keeps running says so, and exits', async () => {
  expect(await endedWith('running')).toEqual({
    code: 0,
    stdout: '',
    stderr:
      "The server is closed, but the program keeps its process running: 1 × Timeout. It exits now. End them in 'onClose' of closeOnSignals().\n",
  })
})

test('a process whose onClose never ends exits after its time, with 1', async () => {
  expect(await endedWith('stuck')).toEqual({
    code: 1,
    stdout: '',
    stderr:
      "The process does not end within 500 ms after SIGTERM, because what 'onClose' ends is not closed. It exits now.\n",
  })
})

test('a process whose onClose fails prints the error, and exits with 1', async () => {
  const { code, stderr } = await endedWith('failing')
  expect(code).toBe(1)
  expect(stderr).toContain('Error: The pool is lost.')
})
