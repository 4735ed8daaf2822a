import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describePostgres } from '../support/postgres/describe-postgres.ts'
import type { TestDatabase } from '../support/postgres/postgres-server.ts'
import { newDatabase, sharedServer } from '../support/postgres/shared-server.ts'

const dist = new URL('../../dist/', import.meta.url)
const cli = fileURLToPath(new URL('tools/cli/resourcery.js', dist))
const folder = mkdtempSync(join(tmpdir(), 'moving-'))
const inFolder = (name: string) => join(folder, name)
const file = inFolder('items.jsonl')

/** Read as a whole, items or blob would need more than a process may have here. */
const itemCount = 71_000
const blobBytes = 100_000_000
/** Fewer for PostgreSQL, which commits batches to the disk. */
const tableItemCount = 10_000
const heapMegabytes = 64
const maxResidentKilobytes = 250_000

const serviceModule = (database: string) => `
  import { createRouter, file, model, toMany, toOne } from '${dist}index.js'
  import { rest } from '${dist}policy/rest/rest.js'
  import { sqlite } from '${dist}store/sqlite/sqlite.js'
  import { sqliteBlobs } from '${dist}store/sqlite/sqlite-blobs.js'
  import { z } from 'zod'
  export class Node extends model('node', {
    name: z.string(),
    parent: toOne('node', { optional: true, onDelete: 'set-null' }),
    next: toMany('node'),
    film: file({ maxBytes: 1_000_000_000 }),
  }) {}
  const database = ${JSON.stringify(database)}
  export const router = createRouter({
    policy: rest(),
    store: sqlite(database, { durability: 'normal' }),
    blobs: sqliteBlobs(database),
  })
  router.prepare(Node)
`

const fill = (service: string, count: number) => `
  import { Node, router } from ${JSON.stringify(service)}
  const text = 'x'.repeat(1_000)
  function* nodes() {
    for (let index = 0; index < ${count}; index++) {
      const next = index % 100 === 0 ? ['n' + (${count} - 1 - index), 'n0'] : []
      yield { id: 'n' + index, name: index + text, parent: index > 0 ? 'n' + (index >> 1) : null, next }
    }
  }
  await router.load(Node, nodes())
  async function* bytes() {
    const chunk = Buffer.alloc(1_000_000)
    for (let index = 0; index < ${blobBytes / 1_000_000}; index++) yield chunk.fill(index)
  }
  const film = { bytes: bytes(), contentType: 'application/x-film' }
  await router.loadResource(Node, { id: 'n7', path: 'film' }, film)
  await router.close()
`

const preload = `data:text/javascript,${encodeURIComponent(`import fs from 'node:fs'
process.on('exit', () => console.error(/VmHWM.*/.exec(fs.readFileSync('/proc/self/status'))[0]))`)}`

function start(...args: readonly string[]) {
  const limits = [`--max-old-space-size=${heapMegabytes}`, '--import', preload]
  const child = spawn(process.execPath, [...limits, cli, ...args])
  const output = { out: '', err: '' }
  child.stdout.on('data', (chunk) => {
    output.out += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.err += chunk
  })
  return { child, output, exited: once(child, 'exit') }
}

async function run(...args: readonly string[]) {
  const { output, exited } = start(...args)
  const [code] = await exited
  const resident = Number(/VmHWM:\s+(\d+)/.exec(output.err)?.[1])
  return { code, ...output, resident }
}

/** Kills a command once it has written something, and then some more. */
async function killAfter(pattern: RegExp, ...args: readonly string[]) {
  const { child, output, exited } = start(...args)
  while (!pattern.test(output.err)) {
    if (child.exitCode !== null) throw new Error(`It ended before it was killed: ${output.err}`)
    await wait(1)
  }
  child.kill('SIGKILL')
  await exited
}

/** A module with a router, whose store has so many items and a blob. */
function createService(name: string, count: number): string {
  const module = inFolder(`${name}.mjs`)
  writeFileSync(module, serviceModule(inFolder(`${name}.db`)))
  const program = fill(module, count)
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { stdio: 'inherit' })
  return module
}

let service: string
beforeAll(() => {
  symlinkSync(
    fileURLToPath(new URL('../../node_modules', import.meta.url)),
    inFolder('node_modules'),
  )
  service = createService('items', itemCount)
}, 240_000)
afterAll(() => rmSync(folder, { recursive: true }))

const hashIn = (text: string) => /SHA-256 ([0-9a-f]{64})/.exec(text)?.[1]
let hash: string | undefined

it('exports more than fits into memory, and goes on after a kill', async () => {
  await killAfter(/Writing: 1\d \d{3} of/, 'export', service, '--to', file)
  expect([existsSync(file), existsSync(`${file}.partial`)]).toEqual([false, true])
  const { code, out, resident } = await run('export', service, '--to', file)
  hash = hashIn(out)
  expect(code).toBe(0)
  const [, written] = /Wrote ([\d ]+) of 71 000 items/.exec(out)!
  expect(Number(written!.replaceAll(' ', ''))).toBeLessThan(itemCount)
  expect(hash).toBeDefined()
  expect(resident).toBeLessThan(maxResidentKilobytes)
}, 240_000)

it('imports it into another store, after a kill too', async () => {
  const target = `sqlite:${inFolder('imported.db')}`
  const args = ['import', target, '--models', service, '--from', file]
  await killAfter(/Writing: [3-9]/, ...args)
  const { code, out, resident } = await run(...args)
  expect([code, hashIn(out)]).toEqual([0, hash])
  expect(Number(/Wrote ([\d ]+) of/.exec(out)![1]!.replaceAll(' ', ''))).toBeLessThan(itemCount)
  expect(resident).toBeLessThan(maxResidentKilobytes)
}, 480_000)

describePostgres('resourcery copy', () => {
  let database: TestDatabase
  let service: string
  beforeAll(async () => {
    database = await newDatabase()
    service = createService('fewer', tableItemCount)
  }, 240_000)
  afterAll(() => database.drop())

  it('copies to tables of PostgreSQL and back, after kills too', async () => {
    await killAfter(/Writing: [1-9]/, 'copy', service, database.url)
    const count = async () => {
      const rows = await (await sharedServer()).run('select count(*) from nodes', [], database.name)
      return Number(rows[0]!.count)
    }
    const before = await count()
    expect(before).toBeGreaterThan(0)
    expect(before).toBeLessThan(tableItemCount)
    const there = await run('copy', service, database.url)
    expect(there.code).toBe(0)
    expect(there.resident).toBeLessThan(maxResidentKilobytes)
    const copy = `sqlite:${inFolder('back.db')}`
    const back = await run('copy', database.url, copy, '--models', service)
    expect([back.code, hashIn(back.out)]).toEqual([0, hashIn(there.out)])
    expect(back.resident).toBeLessThan(maxResidentKilobytes)
    // The same bytes in a file: ids, texts, relations with their order.
    const files = [inFolder('original.jsonl'), inFolder('back.jsonl')] as const
    await run('export', service, '--to', files[0])
    const quiet = await run('export', copy, '--models', service, '--to', files[1], '--quiet')
    expect([quiet.out, quiet.err]).toEqual(['', expect.stringMatching(/^VmHWM:\s+\d+ kB\n$/)])
    expect(readFileSync(files[1]).equals(readFileSync(files[0]))).toBe(true)
  }, 480_000)
})

it('says which argument is wrong', async () => {
  expect(await run('export', service)).toMatchObject({
    code: 2,
    err: expect.stringContaining('Missing option --to; expected a file.\n\nresourcery export'),
  })
  expect(await run('copy', `sqlite:${inFolder('none.db')}`, service)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`There is no file '${inFolder('none.db')}'.`),
  })
  expect(await run('copy', `sqlite:${inFolder('items.db')}`, 'sqlite:b.db')).toMatchObject({
    code: 2,
    err: expect.stringContaining('The models are missing; expected a module'),
  })
  expect(await run('export', service, '--to', file)).toMatchObject({
    code: 2,
    err: expect.stringContaining(`${file} exists.`),
  })
}, 30_000)
