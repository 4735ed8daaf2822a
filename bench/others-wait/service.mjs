// The built bookstore as a process, and what the system reports about it.

import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { run } from '../harness/processes.mjs'

const main = fileURLToPath(new URL('../../examples/bookstore/dist/main.js', import.meta.url))
const monitor = new URL('monitor.mjs', import.meta.url).href

/** @typedef {Awaited<ReturnType<typeof startService>>} Service */

/**
 * @param {string} database a file
 * @param {string} blobs a folder
 */
export async function startService(database, blobs) {
  const environment = {
    PORT: '0',
    LOG: 'silent',
    SEED: '0',
    DATABASE_URL: `sqlite:${database}`,
    BLOBS_DIR: blobs,
    NODE_OPTIONS: `--import=${monitor}`,
  }
  const child = run(main, [], environment, 'pipe')
  let printed = ''
  child.stderr?.on('data', (chunk) => {
    // The first errors are enough.
    if (printed.length < 4_000) printed += chunk
  })
  const pid = child.pid ?? 0
  const port = await listening(child)

  const ended = once(child, 'exit').then(() => {
    throw new Error('The service has ended.')
  })
  ended.catch(() => {})

  /**
   * @param {'look' | 'collect'} query
   * @returns {Promise<{ heldMs: number, memory: NodeJS.MemoryUsage }>}
   */
  const monitored = async (query) => {
    const stopping = new AbortController()
    const response = once(child, 'message', { signal: stopping.signal })
    child.send(query)
    try {
      return (await Promise.race([response, ended]))[0]
    } finally {
      stopping.abort()
    }
  }

  return {
    pid,
    port,
    child,
    monitored,
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** What it has printed to standard error since the last call. */
    errors() {
      const text = printed
      printed = ''
      return text
    },
    /** Kills it, whatever it is doing. */
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exit = once(child, 'exit')
      child.kill('SIGKILL')
      await exit
    },
    residentMiB: () => statusOf(pid, 'VmRSS'),
    /** The peak since `forgetPeak`. */
    peakMiB: () => statusOf(pid, 'VmHWM'),
    forgetPeak: () => writeFileSync(`/proc/${pid}/clear_refs`, '5'),
    descriptors: () => descriptorsOf(pid),
    blobs: () => filesIn(blobs),
    /**
     * Waits until all threads of the service are mostly idle.
     *
     * @param {number} most in ms
     * @returns how long that took, or undefined if it went on
     */
    async quiet(most) {
      const start = performance.now()
      let last = threadsOf(pid)
      for (let calm = 0; performance.now() - start < most + windowMs; ) {
        const since = performance.now()
        await wait(windowMs)
        const now = threadsOf(pid)
        calm = mostUse(last, now, performance.now() - since) < busyFrom ? calm + 1 : 0
        last = now
        if (calm === 2) return Math.max(0, performance.now() - start - 2 * windowMs)
      }
      return undefined
    },
  }
}

const windowMs = 150

/** The waiting client alone takes up to a quarter of a thread. */
const busyFrom = 0.5

/** @param {import('../harness/processes.mjs').Child} child */
async function listening(child) {
  let output = ''
  return /** @type {Promise<number>} */ (
    new Promise((resolve, reject) => {
      child.stdout?.on('data', (chunk) => {
        output += chunk
        const port = /http:\/\/[\d.]+:(\d+)/.exec(output)?.[1]
        if (port) resolve(Number(port))
      })
      child.once('exit', (code) => reject(new Error(`The bookstore ended with ${code}: ${output}`)))
    })
  )
}

/**
 * @param {number} pid
 * @param {'VmRSS' | 'VmHWM'} name
 */
function statusOf(pid, name) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${name}:\\s*(\\d+)`).exec(status)?.[1]) / 1024
}

/**
 * How long each thread computed, including those of child processes, and how long it waited for a
 * processor, in ms.
 *
 * @param {number} pid
 * @returns {Map<string, { computed: number, queued: number }>}
 */
function threadsOf(pid) {
  const folder = `/proc/${pid}/task`
  const threads = new Map()
  for (const thread of namesIn(folder)) {
    try {
      const [computed = 0, queued = 0] = readFileSync(`${folder}/${thread}/schedstat`, 'utf8')
        .split(' ')
        .map(Number)
      threads.set(thread, { computed: computed / 1e6, queued: queued / 1e6 })
      const children = readFileSync(`${folder}/${thread}/children`, 'utf8').split(' ')
      for (const child of children)
        if (child !== '') for (const entry of threadsOf(Number(child))) threads.set(...entry)
    } catch {
      // The thread has ended meanwhile.
    }
  }
  return threads
}

/** @param {string} folder */
function namesIn(folder) {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/**
 * The share of time in which the busiest thread computed.
 *
 * @param {ReturnType<typeof threadsOf>} before
 * @param {ReturnType<typeof threadsOf>} after
 * @param {number} ms between the two
 */
function mostUse(before, after, ms) {
  const uses = [...after].map(([thread, { computed, queued }]) => {
    const earlier = before.get(thread) ?? { computed: 0, queued: 0 }
    return (computed - earlier.computed) / Math.max(10, ms - (queued - earlier.queued))
  })
  return Math.max(0, ...uses)
}

/**
 * Sockets do not count: they depend on clients.
 *
 * @param {number} pid
 */
function descriptorsOf(pid) {
  const folder = `/proc/${pid}/fd`
  return readdirSync(folder).filter((name) => {
    try {
      return !readlinkSync(`${folder}/${name}`).startsWith('socket:')
    } catch {
      return false
    }
  }).length
}

/** @param {string} folder */
function filesIn(folder) {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    ).length
  } catch {
    return 0
  }
}
