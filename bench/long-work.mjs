// How long other clients wait, and how the memory of a service grows, while it creates many items
// from the lines of a body: while the client waits for them, and in a job.
//   node bench/long-work.mjs [--lines=100000] [--stores=sqlite,tables,postgres] [--quick]

import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { clientOf } from './harness/http-client.mjs'
import { startPostgres } from './harness/postgres.mjs'
import { run, stop, stopAll } from './harness/processes.mjs'

const isQuick = process.argv.includes('--quick')
const option = (/** @type {string} */ name) =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.split('=')[1]
const lines = Number(option('lines') ?? (isQuick ? 5_000 : 100_000))
const kinds = (option('stores') ?? (isQuick ? 'sqlite' : 'sqlite,tables,postgres')).split(',')
const maxWaitMs = 100

const fileOf = (/** @type {string} */ name) =>
  fileURLToPath(new URL(`long-work/${name}.mjs`, import.meta.url))

/**
 * @param {import('node:child_process').ChildProcess} child
 * @param {unknown} message
 */
async function ask(child, message) {
  const answered = once(child, 'message')
  child.send(/** @type {import('node:child_process').Serializable} */ (message))
  return (await answered)[0]
}

/**
 * Reads and changes an item, again and again, until the work is done.
 *
 * @param {ReturnType<typeof clientOf>} client
 * @param {Promise<unknown>} work
 */
async function watch(client, work) {
  let isOver = false
  const settled = () => {
    isOver = true
  }
  work.then(settled, settled)
  /** @type {{ GET: number[], PATCH: number[] }} */
  const waits = { GET: [], PATCH: [] }
  let failures = 0
  for (let index = 0; !isOver; index++) {
    const read = await client('GET', '/notes/n1', undefined)
    const written = await client('PATCH', '/notes/n2', { note: { text: `${index}` } })
    waits.GET.push(read.ms)
    waits.PATCH.push(written.ms)
    for (const { status } of [read, written]) if (status !== 200) failures++
    await wait(10)
  }
  return { waits, failures }
}

/** @param {readonly number[]} waits */
function quantiles(waits) {
  const sorted = [...waits].sort((one, other) => one - other)
  const at = (/** @type {number} */ share) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { median: at(0.5), p99: at(0.99), worst: sorted.at(-1) ?? 0 }
}

/** @param {Awaited<ReturnType<typeof watch>>} watched */
function waitsText({ waits, failures }) {
  const parts = Object.entries(waits).map(([method, all]) => {
    const { median, p99, worst } = quantiles(all)
    return `${method} ${median.toFixed(1)} / ${p99.toFixed(0)} / ${worst.toFixed(0)} ms`
  })
  return `${parts.join(', ')}${failures > 0 ? `, ${failures} failed` : ''}`
}

const memoryText = (/** @type {number} */ mebibytes) => `${mebibytes.toFixed(0)} MiB`

/**
 * @param {string} kind
 * @param {string} database
 */
async function measure(kind, database) {
  const service = run(fileOf('server'), [kind, database], {}, 'inherit', ['--expose-gc'])
  const [port] = await once(service, 'message')
  const sender = run(fileOf('sender'), [`${port}`])
  await once(sender, 'message')
  const client = clientOf(port, '127.0.0.3')
  await watch(client, wait(1_000))
  const quiet = await watch(client, wait(isQuick ? 500 : 3_000))
  console.log(`${kind}, nothing else: ${waitsText(quiet)}`)
  for (const work of ['lines', 'job']) {
    const before = await ask(service, 'collect')
    const startedAt = performance.now()
    const imported = ask(sender, [work, lines])
    const during = await watch(client, imported)
    const seconds = (performance.now() - startedAt) / 1_000
    const { turns, peakMiB, processorMs } = await ask(service, 'look')
    const perLine = (processorMs - before.processorMs) / lines
    const cpu = quantiles(turns.map((/** @type {{ cpuMs: number }} */ turn) => turn.cpuMs))
    const after = await ask(service, 'collect')
    console.log(
      `${kind}, ${work}: ${waitsText(during)}; ${lines} in ${seconds.toFixed(1)} s (${await imported}), ${perLine.toFixed(2)} ms of a processor for each, with the requests of the others; turns of the event loop had the processor for ${cpu.median.toFixed(1)} / ${cpu.p99.toFixed(0)} / ${cpu.worst.toFixed(0)} ms; memory ${memoryText(before.residentMiB)} before, at most ${memoryText(peakMiB)}, ${memoryText(after.residentMiB)} after, the heap of V8 ${memoryText(before.heapMiB)} before and ${memoryText(after.heapMiB)} after`,
    )
    if (during.failures > 0 || quantiles(during.waits.GET).p99 > maxWaitMs) process.exitCode = 1
  }
  await stop(sender)
  await stop(service)
}

console.log(
  `load ${loadavg()
    .map((load) => load.toFixed(1))
    .join(' ')}, ${lines} lines; waits of others: median / p99 / worst`,
)
const folder = mkdtempSync(join(tmpdir(), 'long-work-'))
/** @type {import('./harness/postgres.mjs').Postgres | undefined} */
let server
async function end() {
  await stopAll()
  await server?.stop()
  rmSync(folder, { recursive: true, force: true })
}
for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, async () => {
    await end()
    process.exit(1)
  })
try {
  for (const kind of kinds) {
    if (kind === 'postgres') server = await startPostgres(join(folder, 'server'), 'full')
    await measure(kind, server?.createDatabase('work') ?? join(folder, `${kind}.db`))
  }
} finally {
  await end()
}
console.log(`load ${loadavg()[0]?.toFixed(1)} at the end`)
