// Uploads and downloads of one large file, through the library and through a bare Node stream. node
// bench/binaries.mjs [--rounds=3] [--megabytes=200] [--durability=normal] [--only=bare,files]

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { download, upload } from './binaries/transfer.mjs'
import { run, stop, stopAll } from './harness/processes.mjs'
import { printedSpread, spreadOf } from './harness/spread.mjs'
import { processorTime } from './load/processor-time.mjs'
import { residentBytes } from './load/resident-bytes.mjs'

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    megabytes: { type: 'string', default: '200' },
    durability: { type: 'string', default: 'full' },
    only: { type: 'string', default: 'bare,files,sqlite,memory' },
  },
})
const bytes = Number(options.megabytes) * 1_000_000
const servers = options.only.split(',')
const rounds = Number(options.rounds)

/** @typedef {{ seconds: number, processor: number, growth: number }} Measured */
/** @typedef {{ server: string, form: Measured, upload: Measured, download: Measured }} Round */

/** @type {Round[]} */
const rows = []
const folder = mkdtempSync(join(tmpdir(), 'resourcery-binaries-'))
try {
  // In turns, so that other load on the machine affects all of them alike.
  for (let round = 0; round < rounds; round++) {
    for (const server of servers)
      rows.push(await measure(server, join(folder, `${server}-${round}`)))
  }
  print()
} finally {
  await stopAll()
  rmSync(folder, { recursive: true, force: true })
}

/**
 * @param {string} server
 * @param {string} dataFolder
 * @returns {Promise<Round>}
 */
async function measure(server, dataFolder) {
  const file = fileURLToPath(
    new URL(`./binaries/${server === 'bare' ? 'bare' : 'resourcery'}.mjs`, import.meta.url),
  )
  const environment = {
    DATA_DIR: dataFolder,
    DURABILITY: options.durability,
    BLOBS: server,
    PORT: '0',
  }
  const child = run(file, [], environment)
  try {
    const port = await listening(child)
    const pid = child.pid ?? 0
    // A small file first, so that loading and compiling code is not measured.
    await upload(port, 5_000_000, 'raw')
    await download(port, 5_000_000)
    return {
      server,
      form: await watched(pid, () => upload(port, bytes, 'form')),
      upload: await watched(pid, () => upload(port, bytes, 'raw')),
      download: await watched(pid, () => download(port, bytes)),
    }
  } finally {
    await stop(child)
    rmSync(dataFolder, { recursive: true, force: true })
  }
}

/**
 * Measures the duration, and the processor time and peak memory of the server.
 * @param {number} pid
 * @param {() => Promise<void>} work
 * @returns {Promise<Measured>}
 */
async function watched(pid, work) {
  const before = residentBytes(pid)
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, residentBytes(pid))
  }, 5)
  const used = processorTime(pid) ?? 0
  const startTime = performance.now()
  try {
    await work()
    const seconds = (performance.now() - startTime) / 1_000
    return { seconds, processor: (processorTime(pid) ?? 0) - used, growth: most - before }
  } finally {
    clearInterval(timer)
  }
}

/**
 * @param {import('./harness/processes.mjs').Child} child
 * @returns {Promise<number>}
 */
function listening(child) {
  return new Promise((resolve, reject) => {
    child.once('exit', (code) =>
      reject(new Error(`A server ended with ${code} before it listened.`)),
    )
    createInterface({ input: /** @type {import('node:stream').Readable} */ (child.stdout) }).on(
      'line',
      (line) => {
        const port = /^listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(line)?.[1]
        if (port) resolve(Number(port))
      },
    )
  })
}

function print() {
  console.log(
    `\nNode ${process.versions.node}, ${options.megabytes} MB, durability ${options.durability}, medians of ${rounds} rounds, smallest and largest in brackets\n`,
  )
  console.log(['', ...servers].map((cell) => cell.padStart(48)).join(''))
  for (const work of /** @type {const} */ (['form', 'upload', 'download'])) {
    /** @param {string} server */
    const cellOf = (server) => {
      const own = rows.filter((entry) => entry.server === server).map((entry) => entry[work])
      const rate = spreadOf(own.map(({ seconds }) => bytes / 1e6 / seconds))
      const growth = Math.max(...own.map((entry) => entry.growth)) / 1_048_576
      const processor = spreadOf(own.map((entry) => entry.processor))
      const rates = printedSpread(rate, (value) => value.toFixed(0))
      const times = printedSpread(processor, (value) => value.toFixed(2))
      return `${rates} MB/s, ${times} s, +${growth.toFixed(0)} MiB`
    }
    console.log([work, ...servers.map(cellOf)].map((cell) => cell.padStart(48)).join(''))
  }
}
