import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { newDatabase } from '../support/postgres/shared-server.ts'

/** DEPLOY_ROWS=20000 for the long form, which prints what it measured. */
const rowCount = Number(process.env.DEPLOY_ROWS ?? 1_500)

const folder = mkdtempSync(join(tmpdir(), 'deploys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A service of the old version or the new one. The first line that it prints is its address. */
const program = (store: string, version: 'old' | 'new') => `
import { createRouter, field, model } from 'resourcery'
import { closeOnSignals, serve } from 'resourcery/node'
import { rest } from 'resourcery/rest'
import { z } from 'zod'
${store}
const versions = {
  old: { title: z.string(), name: z.string().optional(), description: z.string().optional() },
  new: {
    title: z.string(),
    summary: field(z.string().optional(), { was: 'description' }),
    sku: field(z.string(), { unique: true, backfill: (old) => 'sku of ' + old.id }),
    brand: field(z.string(), { backfill: (old) => old.name.split(' ')[0] }),
    modelName: field(z.string(), { backfill: (old) => old.name.split(' ')[1] }),
  },
}
const router = createRouter({
  policy: rest(),
  store,
  onProgress: ({ done, total }) => console.log('filled ' + done / total),
  onError: (error) => console.log('error ' + error.message),
})
const Product = model('product', versions['${version}'])
router.prepare(Product)
await router.open()
if (process.argv[1] !== undefined)
  await router.load(Product, Array.from({ length: Number(process.argv[1]) }, (_, index) => ({
    id: 'p' + index, title: 'T', name: 'Brand' + index + ' Model', description: 'D',
  })))
const server = await serve(router)
closeOnSignals(server)
console.log('address ' + server.address)
`

interface Process {
  kill(): Promise<unknown>
  readonly address: string | undefined
  readonly filled: number
  readonly listens: Promise<void>
}

function start(store: string, version: 'old' | 'new', ...args: readonly string[]): Process {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', program(store, version), ...args],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  onTestFinished(() => void child.kill('SIGKILL'))
  const state: { address: string | undefined; filled: number } = { address: undefined, filled: 0 }
  const lines = createInterface({ input: child.stdout })
  const listens = new Promise<void>((resolve, reject) => {
    void once(child, 'exit').then(() => reject(new Error(`The ${version} version has ended.`)))
    lines.on('line', (line) => {
      const [kind] = line.split(' ', 1)
      const rest = line.slice(kind!.length + 1)
      if (kind === 'filled') state.filled = Number(rest)
      else if (kind === 'address') {
        state.address = rest
        resolve()
      }
    })
  })
  listens.catch(() => {})
  const exit = once(child, 'exit')
  return {
    kill() {
      child.kill('SIGKILL')
      return exit
    },
    get address() {
      return state.address
    },
    get filled() {
      return state.filled
    },
    listens,
  }
}

interface Measured {
  requests: number
  refusals: number
  longestMs: number
  /** How much was filled in when the old version first refused. */
  filledAtRefusal: number | undefined
}

/** Sends requests to both versions, as a proxy does that tries another process after a 503. */
function proxy(old: Process, newest: () => Process | undefined, measured: Measured) {
  const answered: Record<'old' | 'new', number> = { old: 0, new: 0 }
  return {
    answered,
    async send(method: string, path: string, bodies: { old?: unknown; new?: unknown } = {}) {
      const startedAt = performance.now()
      for (let attempt = 0; ; attempt++) {
        const next = newest()
        const version = attempt % 2 === 0 || next?.address === undefined ? 'old' : 'new'
        const body = bodies[version]
        const response = await fetch(`${version === 'old' ? old.address : next?.address}${path}`, {
          method,
          headers: { 'content-type': 'application/json' },
          ...(body !== undefined && { body: JSON.stringify(body) }),
        })
        const text = await response.text()
        const ms = performance.now() - startedAt
        if (response.status !== 503) {
          if (!response.ok) throw new Error(`${version} ${method} ${path}: ${text}`)
          measured.requests++
          measured.longestMs = Math.max(measured.longestMs, ms)
          answered[version]++
          return text
        }
        measured.refusals++
        measured.filledAtRefusal ??= next?.filled
        if (ms > 30_000) throw new Error(`${method} ${path} was refused for 30 s: ${text}`)
        await wait(10)
      }
    },
  }
}

it.each([
  ['documents of SQLite', {}],
  ['ordinary tables of SQLite', { layout: 'tables' }],
] as const)(
  'no request fails while a rename, a split and a required field are deployed, in %s',
  async (name, options) => {
    const file = join(folder, `${name}.db`)
    const store = `import { sqlite } from 'resourcery/sqlite'
const store = sqlite(${JSON.stringify(file)}, ${JSON.stringify(options)})`
    await expectDeploy(name, store)
  },
  600_000,
)

it.each([
  ['documents of SQLite', {}],
  ['ordinary tables of SQLite', { layout: 'tables' }],
] as const)(
  'nothing is lost where the new version is killed while it fills in items, and started again, in %s',
  async (name, options) => {
    const file = join(folder, `killed ${name}.db`)
    const store = `import { sqlite } from 'resourcery/sqlite'
const store = sqlite(${JSON.stringify(file)}, ${JSON.stringify(options)})`
    await expectDeploy(`${name}, killed`, store, 3)
  },
  600_000,
)

it('nothing is lost where the new version is killed while it fills in rows, and started again, in PostgreSQL', async () => {
  const { url } = await newDatabase()
  await expectDeploy(
    'PostgreSQL, killed',
    `import { postgres } from 'resourcery/postgres'
const store = postgres(${JSON.stringify(url)})`,
    3,
  )
}, 600_000)

it('no request fails while a rename, a split and a required field are deployed, in PostgreSQL', async () => {
  const { url } = await newDatabase()
  await expectDeploy(
    'PostgreSQL',
    `import { postgres } from 'resourcery/postgres'
const store = postgres(${JSON.stringify(url)})`,
  )
}, 600_000)

/** Kills the new version again and again while it starts, and starts it once more. */
async function startedAfterKills(store: string, kills: number): Promise<Process> {
  for (let kill = 0; kill < kills; kill++) {
    const killed = start(store, 'new')
    const begun = performance.now()
    // Each goes on a little further, whatever the speed of the machine.
    while (killed.filled < (kill + 1) / (kills + 1) && killed.address === undefined) {
      if (performance.now() - begun > 60_000) throw new Error('The new version does not go on.')
      await wait(Math.random() * 20)
    }
    if (killed.address !== undefined) {
      expect(kill).toBeGreaterThan(0)
      return killed
    }
    await killed.kill()
  }
  return start(store, 'new')
}

async function expectDeploy(name: string, store: string, kills = 0): Promise<void> {
  const old = start(store, 'old', String(rowCount))
  await old.listens
  const startedAt = performance.now()
  let next: Process | undefined
  const measured: Measured = { requests: 0, refusals: 0, longestMs: 0, filledAtRefusal: undefined }
  const { send, answered } = proxy(old, () => next, measured)
  const names = new Map<string, string>()
  let isOver = false
  const client = async (number: number): Promise<void> => {
    for (let turn = 0; !isOver; turn++) {
      // Each client has items of its own, so that it knows what they hold.
      const id = `p${((turn * 37) % Math.floor(rowCount / 3)) * 3 + number}`
      const brand = `B${turn}`
      await send('PATCH', `/products/${id}`, {
        old: { product: { name: `${brand} C${number}`, description: `D${turn}` } },
        new: { product: { brand, modelName: `C${number}`, summary: `D${turn}` } },
      })
      names.set(id, `${brand} C${number}`)
      await send('GET', `/products/${id}`)
      const added = `added-${number}-${turn}`
      await send('POST', '/products', {
        old: { product: { id: added, title: 'A', name: `${brand} Added` } },
        new: { product: { id: added, title: 'A', brand, modelName: 'Added', sku: added } },
      })
      names.set(added, `${brand} Added`)
      await wait(5)
    }
  }
  const clients = [0, 1, 2].map((number) => client(number))
  const stopped = Promise.all(clients)
  next = await startedAfterKills(store, kills)
  await Promise.race([next.listens, stopped])
  const listenedMs = performance.now() - startedAt
  await wait(300)
  isOver = true
  await stopped

  const list = await fetch(`${next.address}/products`)
  const { products } = (await list.json()) as { products: Record<string, string>[] }
  expect(products.length).toBe(rowCount + [...names.keys()].filter((id) => id[0] === 'a').length)
  const wrong = products.filter(
    ({ id, sku, brand, modelName }) =>
      sku === undefined ||
      `${brand} ${modelName}` !== (names.get(id!) ?? `Brand${id!.slice(1)} Model`),
  )
  expect(wrong).toEqual([])
  expect(answered.old).toBeGreaterThan(0)
  expect(answered.new).toBeGreaterThan(0)
  // The old version goes on until all is filled in. A later start counts what is left.
  if (kills === 0) expect(measured.filledAtRefusal ?? 1).toBeGreaterThan(0.99)
  if (process.env.DEPLOY_ROWS)
    console.log(
      `${name}, ${rowCount} rows: the new version listens after ${listenedMs.toFixed(0)} ms, ${measured.requests} requests, the longest took ${measured.longestMs.toFixed(0)} ms, ${measured.refusals} refusals were sent to the other version`,
    )
}
