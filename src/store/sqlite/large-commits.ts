import { open, stat } from 'node:fs/promises'
import { Worker } from 'node:worker_threads'
import type { Connection } from './connection.ts'
import { autoCheckpointPragma, maxWalBytes } from './connection-settings.ts'

/**
 * Does the work of a large commit outside the main thread: syncing the WAL to disk, and copying it
 * into the database.
 */
export interface LargeCommits {
  /** Await this before a transaction begins: it waits for a checkpoint where the WAL is long. */
  beforeBegin(): Promise<void>
  /** Await this inside the transaction, before the commit. */
  prepare(): Promise<void>
  /** Call this after the commit, also after a failed one. */
  finish(): void
  /** Syncs what a rolled back transaction left in the WAL, so that the next commit need not. */
  flush(): Promise<void>
  /** Waits until no checkpoint runs. */
  idle(): Promise<void>
}

export function largeCommits(file: string, driver: string, connection: Connection): LargeCommits {
  let running: Promise<void> | undefined
  let isCheckpointDue = false
  let isCommitting = false
  let isWalLong = false

  const checkpoints = async (): Promise<void> => {
    try {
      while (isCheckpointDue) {
        isCheckpointDue = false
        await checkpoint(file, driver)
      }
      // The commit that is being prepared would copy the whole WAL on the main thread.
      if (!isCommitting) connection.exec(`pragma ${autoCheckpointPragma}`)
    } catch {
      // The WAL stays, and the next large commit tries again. Closing the connection copies it as
      // well.
    } finally {
      running = undefined
    }
  }

  const flush = (): Promise<void> => syncWal(`${file}-wal`)

  const lookAtWal = async (): Promise<void> => {
    try {
      isWalLong = (await stat(`${file}-wal`)).size > maxWalBytes
    } catch {
      // There is no WAL.
      isWalLong = false
    }
  }

  return {
    // SQLite writes from the start of the WAL again only where a transaction begins after all of
    // it was copied. While large transactions follow one another, that would never be.
    async beforeBegin() {
      if (!isWalLong) return
      isWalLong = false
      while (running) await running
      isCheckpointDue = true
      running = checkpoints()
      await running
    },
    async prepare() {
      isCommitting = true
      connection.exec('pragma wal_autocheckpoint = 0')
      await flush()
    },
    flush,
    finish() {
      isCommitting = false
      void lookAtWal()
      isCheckpointDue = true
      running ??= checkpoints()
    },
    async idle() {
      while (running) await running
    },
  }
}

/** Syncs what the transaction has written so far, so that the commit has little to wait for. */
async function syncWal(walFile: string): Promise<void> {
  try {
    const handle = await open(walFile)
    try {
      await handle.datasync()
    } finally {
      await handle.close()
    }
  } catch {
    // The commit itself syncs then, and reports an error.
  }
}

/** Never fails: SQLite runs the checkpoint with one of the next commits instead. */
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
