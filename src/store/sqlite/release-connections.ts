import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lazy } from '../../cache/lazy.ts'

/** A collection takes tens of milliseconds: where many are closed, one in so long has to do. */
const minIntervalMs = 1_000

let collectedAt = Number.NEGATIVE_INFINITY
let isPlanned = false

/**
 * Frees the descriptors of connections that were closed. The driver of the package keeps a
 * connection open until its statements are collected, and has no other way to let go of one; the
 * collector does not know that each of them holds files. Those of a single connection are free when
 * the promise settles, those of many within a second.
 */
export async function releaseConnections(): Promise<void> {
  if (performance.now() - collectedAt < minIntervalMs) {
    if (!isPlanned) setTimeout(collect, minIntervalMs).unref()
    isPlanned = true
    return
  }
  // Whoever closed it holds it until its turn is over, and what is collected is let go of in the
  // next.
  await setImmediate()
  collect()
  await setImmediate()
}

function collect(): void {
  collectedAt = performance.now()
  isPlanned = false
  collector()()
}

/** The collector of the engine, without a process that was started with `--expose-gc`. */
const collector = lazy((): (() => void) => {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as () => void
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
})
