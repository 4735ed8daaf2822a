import { readdir, readlink, realpath } from 'node:fs/promises'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lazy } from '../../cache/lazy.ts'

/** Files whose connections are closed, and wait for the next collection. */
const waitingFiles = new Set<string>()
let collecting: Promise<void> | undefined

/**
 * Frees the file descriptors of closed connections, before the promise settles. The driver package
 * keeps a connection open until its statements are garbage collected, and offers no other way.
 * Connections that are closed at the same time share a collection.
 *
 * @param file that of the connections
 */
export async function releaseConnections(file: string): Promise<void> {
  waitingFiles.add(file)
  collecting ??= collect()
  await collecting
}

async function collect(): Promise<void> {
  // The caller holds the connection until this turn of the event loop ends.
  await setImmediate()
  collecting = undefined
  const files = await Promise.all([...waitingFiles].map(realPath))
  waitingFiles.clear()
  // The statements of a store that lived a short time are young: to collect only the young objects
  // takes 1 to 2 ms, and all of them tens of milliseconds.
  for (const type of ['minor', 'major'] as const) {
    if (type === 'minor') collector()({ type })
    else collector()()
    await finalizers()
    if (!(await isAnyOpen(files))) return
  }
}

/** Finalizers run in the next turns. */
async function finalizers(): Promise<void> {
  for (let turns = 0; turns < 3; turns++) await setImmediate()
}

/** Has this process one of the files open? True where the system does not tell. */
async function isAnyOpen(files: readonly string[]): Promise<boolean> {
  try {
    const descriptors = await readdir('/proc/self/fd')
    const targets = await Promise.all(
      descriptors.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => '')),
    )
    return targets.some((target) => files.some((file) => target.startsWith(file)))
  } catch {
    return true
  }
}

async function realPath(file: string): Promise<string> {
  return realpath(file).catch(() => file)
}

/** The garbage collector of V8, without the process option `--expose-gc`. */
const collector = lazy((): ((options?: { readonly type: 'minor' }) => void) => {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
})
