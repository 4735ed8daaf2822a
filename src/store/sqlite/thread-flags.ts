/** Flags in the memory that a scan thread shares; `scan-worker.js` has the same indexes. */
export type ThreadFlags = Int32Array<SharedArrayBuffer>

const stop = 0
const busy = 1

/**
 * How long the exiting process waits for a thread to leave native code. Node.js would wait for it
 * too, and the process be killed by SIGABRT then.
 */
const exitTimeoutMs = 60_000

/** Those of the threads that run. */
const running = new Set<ThreadFlags>()

export function newThreadFlags(): ThreadFlags {
  return new Int32Array(new SharedArrayBuffer(8))
}

/** The thread gets a request: its statement runs until it ends or is stopped. */
export function markBusy(flags: ThreadFlags): void {
  Atomics.store(flags, stop, 0)
  Atomics.store(flags, busy, 1)
}

/** Aborts the statement of the thread at the next row. */
export function stopStatement(flags: ThreadFlags): void {
  Atomics.store(flags, stop, 1)
}

/**
 * From now on, the exiting process waits for the thread. All threads share one listener: Node.js
 * warns of more than ten.
 */
export function awaitAtExit(flags: ThreadFlags): void {
  if (running.size === 0) process.on('exit', waitForThreads)
  running.add(flags)
}

export function forgetAtExit(flags: ThreadFlags): void {
  running.delete(flags)
  if (running.size === 0) process.off('exit', waitForThreads)
}

function waitForThreads(): void {
  for (const flags of running) stopStatement(flags)
  for (const flags of running)
    if (Atomics.load(flags, busy) === 1) Atomics.wait(flags, busy, 1, exitTimeoutMs)
}
