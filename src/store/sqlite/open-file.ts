import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ownFile, ownFolder } from '../own-files.ts'
import { type Connection, connection } from './connection.ts'
import { loadDriver } from './driver.ts'
import { releaseClosed } from './release.ts'
import { toOpeningError } from './sqlite-error.ts'

/** Makes connections to one file. */
export interface OpenFile {
  /** What a worker imports to read the file as well. */
  readonly driver: string
  /** @param synchronous what its commits survive: `full` a power cut, `normal` the end of the process */
  writer(synchronous: 'full' | 'normal'): Connection
  reader(...pragmas: readonly string[]): Connection
}

/**
 * Closes all connections to one file. What was committed is moved from the WAL into the database, as far as no other process reads there: it need not be done
 * when the file is opened again.
 */
export async function closeFile(readers: readonly Connection[], writers: readonly Connection[]): Promise<void> {
  for (const reader of readers) reader.close()
  for (const writer of writers) {
    try {
      writer.exec('pragma wal_checkpoint(truncate)')
    } finally {
      writer.close()
    }
  }
  if (writers.some((writer) => writer.outlivesClose)) await releaseClosed()
}

/** @throws TypeError when it names no file: each connection would then have a database of its own */
export function checkFile(file: string): void {
  if (file !== '' && file !== ':memory:') return
  throw new TypeError(
    `'${file}' is no file that several connections can share; give the path of one, or take memory() and memoryBlobs(), which keep everything in memory.`,
  )
}

/** Lets connections be opened to a file, which is made when it is missing, with its folder. Where that fails, those that were made are closed. */
export async function openFile<T>(file: string, connect: (to: OpenFile) => Promise<T>): Promise<T> {
  const driver = await loadDriver()
  const connections: Connection[] = []
  const connectionWith = (readOnly: boolean, pragmas: readonly string[]): Connection => {
    const made = connection(driver.open(file, { readOnly }))
    connections.push(made)
    for (const pragma of pragmas) made.exec(`pragma ${pragma}`)
    return made
  }
  try {
    await mkdir(dirname(file), { recursive: true, mode: ownFolder })
    await makeOwn(file)
    return await connect({
      driver: driver.specifier,
      writer: (synchronous) =>
        connectionWith(false, [
          waiting,
          'journal_mode = wal',
          `synchronous = ${synchronous}`,
          // From here on waiting is done between turns of the event loop, see `group-commit.ts`.
          'busy_timeout = 0',
        ]),
      reader: (...pragmas) => connectionWith(true, [waiting, ...pragmas]),
    })
  } catch (error) {
    for (const one of connections) one.close()
    throw toOpeningError(error, file)
  }
}

/**
 * Makes the file where it is missing, for its owner alone: SQLite would let everybody read it. What SQLite puts beside it gets the file's own mode.
 * One that is there is not even opened: to close it again would lose the locks that other connections of this process have on it. What
 * else keeps the file from being made is left to SQLite to say.
 */
async function makeOwn(file: string): Promise<void> {
  const made = await open(file, 'wx', ownFile).catch(() => undefined)
  await made?.close()
}

/** Others may hold the file for a moment. In milliseconds. */
const waiting = 'busy_timeout = 5000'
