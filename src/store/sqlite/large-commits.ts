import { open } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Connection } from './connection.ts'

/** Does what a large commit would do on the main thread in another one: writing the log to the disk, and copying it into the database. */
export interface LargeCommits {
  /** To be awaited before the commit, inside the transaction. */
  prepare(): Promise<void>
  /** To be called once it is committed, or could not be. */
  finish(): void
  /** Writes to the disk what an undone transaction has left in the log, so that the next commit need not. */
  flush(): Promise<void>
  /** Waits until nothing is left to do. */
  idle(): Promise<void>
}

/** Pages of the log at which SQLite copies it into the database by itself: its own default. */
const autoCheckpointPages = 1_000

export function largeCommits(file: string, driver: string, connection: Connection): LargeCommits {
  let running: Promise<void> | undefined
  let isWanted = false

  const checkpoints = async (): Promise<void> => {
    try {
      while (isWanted) {
        isWanted = false
        await checkpoint(file, driver)
      }
      connection.exec(`pragma wal_autocheckpoint = ${autoCheckpointPages}`)
    } catch {
      // The log stays as it is, and the next large commit begins anew. A connection that was closed meanwhile has copied it.
    } finally {
      running = undefined
    }
  }

  const flush = (): Promise<void> => flushLog(`${file}-wal`)

  return {
    async prepare() {
      connection.exec('pragma wal_autocheckpoint = 0')
      await flush()
    },
    flush,
    finish() {
      isWanted = true
      running ??= checkpoints()
    },
    async idle() {
      while (running) await running
    },
  }
}

/** What the transaction has written so far is on the disk then, so that the commit has little to wait for. */
async function flushLog(log: string): Promise<void> {
  try {
    const handle = await open(log)
    try {
      await handle.datasync()
    } finally {
      await handle.close()
    }
  } catch {
    // The commit itself does it then, and says so where it cannot.
  }
}

/** Where it cannot be done, SQLite does it with one of the next commits. */
function checkpoint(file: string, driver: string): Promise<void> {
  const execArgv = driver === 'node:sqlite' ? ['--disable-warning=ExperimentalWarning'] : []
  const options = { workerData: { file, driver }, execArgv }
  return new Promise((resolve) => {
    try {
      const worker = new Worker(new URL('./checkpoint-worker.js', import.meta.url), options)
      worker.on('error', () => resolve())
      worker.on('exit', () => resolve())
    } catch {
      resolve()
    }
  })
}
