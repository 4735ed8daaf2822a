import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, onTestFinished, test, vi } from 'vitest'
import { childrenOf } from '../support/child-processes.ts'
import { root, temporaryFolder } from '../support/documentation.ts'

const folder = temporaryFolder('start')
afterAll(() => rmSync(folder, { recursive: true }))
const cli = join(root, 'dist/tools/cli/resourcery.js')

function moduleWith(name: string, title: string, options = ''): string {
  const file = join(folder, name)
  const source = `import { createRouter, model } from 'resourcery'
import { rest } from 'resourcery/rest'
import { sqlite } from 'resourcery/sqlite'
export const router = createRouter({
  policy: rest(), basePath: '/api', store: sqlite(${JSON.stringify(join(folder, `${name}.db`))}),
  info: { title: '${title}', version: '1' }, docsPage: true,
})
router.prepare(model('book', {}))
export const serveOptions = { port: 0, health: { livePath: '/alive' }, ${options} }
`
  writeFileSync(file, source)
  return file
}

/** The address that the command prints. */
async function started(file: string, ...args: readonly string[]) {
  const child = spawn(process.execPath, [cli, 'start', file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const exit = once(child, 'exit').then(([code]) => ({ code: code as number, errors }))
  const line = await Promise.race([once(child.stdout, 'data'), exit])
  if (!Array.isArray(line)) throw new Error(errors)
  const [, address] = /^(?:Listens|.*"Listens) at ([^\s"]+).*\n$/.exec(String(line[0]))!
  return { child, address: address!, exit, line: String(line[0]) }
}

function restart(file: string): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'restart', file], {
    encoding: 'utf8',
  })
  return { status, output: `${stdout}${stderr}` }
}

const workersOf = ({ pid }: ChildProcess) => childrenOf(pid!).map((child) => child.pid)

/** On a connection of its own: an idle one may end while this process waits for a command. */
async function titleAt(address: string): Promise<string> {
  const headers = { connection: 'close' }
  const response = await fetch(`${address}/api/openapi.json`, { headers })
  return ((await response.json()) as { info: { title: string } }).info.title
}

test('resourcery start serves the routers of a module, with its options', async () => {
  const { address, child, exit } = await started(moduleWith('one.mjs', 'One'))
  expect(await titleAt(address)).toBe('One')
  expect((await fetch(`${address}/alive`)).status).toBe(200)
  expect(workersOf(child)).toEqual([])
  child.kill('SIGTERM')
  expect(await exit).toEqual({ code: 0, errors: '' })
}, 60_000)

test('resourcery restart replaces its workers by those of the module as it is now', async () => {
  const file = moduleWith('several.mjs', 'Old')
  const { address, child, exit } = await started(file, '--workers=2')
  const before = workersOf(child)
  expect([before.length, await titleAt(address)]).toEqual([2, 'Old'])
  moduleWith('several.mjs', 'New')
  expect(restart(file)).toMatchObject({
    status: 0,
    output: expect.stringMatching(/^Restarted in \d/),
  })
  const after = workersOf(child)
  expect([after.length, after.some((pid) => before.includes(pid))]).toEqual([2, false])
  expect(await titleAt(address)).toBe('New')

  // A second primary of the module would not be found by the command.
  await expect(started(file, '--workers=1')).rejects.toThrow('This module runs already')
  writeFileSync(file, 'throw new Error("unfinished")')
  const { status, output } = restart(file)
  expect(status).toBe(2)
  expect(output).toContain('The workers are not restarted, and the old ones go on.')
  expect(workersOf(child)).toEqual(after)
  child.kill('SIGTERM')
  expect((await exit).code).toBe(0)
  expect(restart(file)).toMatchObject({
    status: 2,
    output: expect.stringContaining('No primary of this module runs here'),
  })
}, 60_000)

test('resourcery restart waits for workers that start', async () => {
  const file = moduleWith('early.mjs', 'Early')
  const starting = started(file, '--workers=1')
  // The socket is there once the first worker starts.
  await vi.waitUntil(() => restart(file).status === 0, { timeout: 30_000 })
  const { child, address, exit } = await starting
  expect(await titleAt(address)).toBe('Early')
  child.kill('SIGTERM')
  expect(await exit).toEqual({ code: 0, errors: '' })
}, 60_000)

test.each([
  ['text', '', /^Listens at http:\S+ with SQLite \d\S+, documents\n$/],
  ['JSON', 'log: true', /"stores":\[\{"engine":"SQLite \d[^"]+","format":"documents"\}\]\}\n$/],
] as const)(
  'resourcery start names the store once, as %s',
  async (kind, options, expected) => {
    const { child, line, exit } = await started(
      moduleWith(`${kind}.mjs`, 'Store', options),
      '--workers=2',
    )
    expect(line).toMatch(expected)
    let more = ''
    child.stdout.on('data', (text) => {
      more += text
    })
    child.kill('SIGTERM')
    await exit
    expect(more).toBe('')
  },
  60_000,
)

test('resourcery start prints where a module throws', () => {
  const file = join(folder, 'throws.mjs')
  writeFileSync(file, 'function load() {\n  throw new Error("unfinished")\n}\nload()\n')
  const { status, stderr } = spawnSync(process.execPath, [cli, 'start', file], { encoding: 'utf8' })
  expect(status).toBe(2)
  expect(stderr).toMatch(/cannot be imported: Error: unfinished\n +at load .*throws\.mjs:2:9/)
}, 60_000)

test('resourcery start refuses what it cannot serve', () => {
  const file = moduleWith('wrong.mjs', 'Wrong')
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [cli, 'start', ...args], { encoding: 'utf8' })
  expect(run(file, '--port=x', '--workers=0').stderr).toBe(
    "--port must be an integer of at least 0; got 'x'.\n--workers must be an integer of at least 1, or 'auto'; got '0'.\n",
  )
  const missing = join(folder, 'missing.mjs')
  expect(run(missing).stderr).toBe(`There is no file '${missing}'.\n`)
  expect(restart(join(folder, 'none.mjs'))).toEqual({
    status: 2,
    output: `There is no module '${join(folder, 'none.mjs')}'; expected the one that 'resourcery start' serves.\n`,
  })
  const served = join(folder, 'served.mjs')
  writeFileSync(
    served,
    `import { serve } from 'resourcery/node'
import { router } from './wrong.mjs'
await serve(router)
export { router }
`,
  )
  const { status, stderr } = run(served)
  expect(status).toBe(2)
  expect(stderr).toContain("opens its router when it is imported, as 'serve' does")
}, 60_000)
