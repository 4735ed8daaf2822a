import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { temporaryFile } from '../../../test/support/sqlite-bookshelf.ts'
import { model } from '../../model/declare/model.ts'
import { describeModels } from '../../model/describe/describe-models.ts'
import { always, idEquals } from '../../query/conditions.ts'
import { sqlite } from './sqlite.ts'

const [book] = describeModels([model('book', { title: z.string() })])

const sources = (path: string): string =>
  JSON.stringify(fileURLToPath(new URL(path, import.meta.url)))

/**
 * Adds books one after the other and says each that is acknowledged. The sources are TypeScript,
 * which vite knows to run.
 */
const program = `
import { createServer } from 'vite'
const server = await createServer({
  configFile: false, logLevel: 'silent', appType: 'custom', optimizeDeps: { noDiscovery: true },
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
})
const load = (path) => server.ssrLoadModule(path)
const [{ sqlite }, { createStoredItem }, { describeModels }, { model }, { z }] = await Promise.all([
  load(${sources('./sqlite.ts')}), load(${sources('../../stored-item/create-stored-item.ts')}), load(${sources('../../model/describe/describe-models.ts')}),
  load(${sources('../../model/declare/model.ts')}), import('zod'),
])
const [file, name, count] = process.argv.slice(1)
const [book] = describeModels([model('book', { title: z.string() })])
const store = sqlite(file, { durability: 'normal' })
await store.open([book])
for (let index = 0; index < Number(count); index += 8) {
  await Promise.all(Array.from({ length: 8 }, async (_, offset) => {
    const id = name + '-' + (index + offset)
    await store.write((work) => work.insert(book, createStoredItem(book, { id, title: id }, 1)))
    process.stdout.write(id + '\\n')
  }))
}
await store.close()
await server.close()
`

function writer(
  file: string,
  name: string,
  count: number,
): { child: ChildProcess; acknowledged: string[]; exited: Promise<void> } {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', program, file, name, String(count)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const acknowledged: string[] = []
  createInterface({ input: child.stdout! }).on('line', (id) => acknowledged.push(id))
  const exited = new Promise<void>((resolve) => child.on('close', () => resolve()))
  return { child, acknowledged, exited }
}

test('a killed process loses no acknowledged write', async () => {
  const file = temporaryFile()
  for (const round of [1, 2, 3]) {
    const { child, acknowledged, exited } = writer(file, `r${round}`, 1_000_000)
    while (acknowledged.length < 200) await new Promise((resolve) => setTimeout(resolve, 10))
    child.kill('SIGKILL')
    await exited
    const store = sqlite(file)
    await store.open([book!])
    for (const id of acknowledged) expect(await store.find(book!, idEquals(id)), id).toBeDefined()
    expect(await store.count(book!, always)).toBeGreaterThanOrEqual(acknowledged.length)
    await store.close()
  }
}, 60_000)

test('several processes write to one file', async () => {
  const file = temporaryFile()
  const writers = ['one', 'two'].map((name) => writer(file, name, 400))
  await Promise.all(writers.map((one) => one.exited))
  expect(writers.map((one) => one.acknowledged.length)).toEqual([400, 400])
  const store = sqlite(file)
  await store.open([book!])
  expect(await store.count(book!, always)).toBe(800)
  await store.close()
}, 60_000)
