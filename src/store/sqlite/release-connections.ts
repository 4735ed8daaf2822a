import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { lazy } from '../../cache/lazy.ts'

/** A garbage collection takes tens of milliseconds, so there is at most one per second. */
const minIntervalMs = 1_000

let collectedAt = Number.NEGATIVE_INFINITY
let isScheduled = false

/**
 * Frees the file descriptors of closed connections. The driver package keeps a connection open
 * until its statements are garbage collected, and offers no other way. The descriptors of one
 * connection are free when the promise settles, those of many within a second.
 */
export async function releaseConnections(): Promise<void> {
  if (performance.now() - collectedAt < minIntervalMs) {
    if (!isScheduled) setTimeout(collect, minIntervalMs).unref()
    isScheduled = true
    return
  }
  // The caller holds the connection until this turn of the event loop ends; finalizers run in the
  // next turn.
  await setImmediate()
  collect()
  await setImmediate()
}

function collect(): void {
  collectedAt = performance.now()
  isScheduled = false
  collector()()
}

/** The garbage collector of V8, without the process option `--expose-gc`. */
const collector = lazy((): (() => void) => {
  setFlagsFromString('--expose-gc')
  try {
    return runInNewContext('gc') as () => void
  } finally {
    setFlagsFromString('--no-expose-gc')
  }
})
