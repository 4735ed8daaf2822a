import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ownerFileMode, ownerFolderMode } from '../file-modes.ts'
import { type Connection, connection } from './connection.ts'
import { loadDriver } from './driver.ts'
import { releaseConnections } from './release-connections.ts'
import { toOpenError } from './sqlite-error.ts'

/** Makes connections to one file. */
export interface ConnectionFactory {
  /** What a worker imports to read the file as well. */
  readonly driverSpecifier: string
  /**
   * @param synchronous what its commits survive: `full` a power cut, `normal` the end of the
   * process
   */
  openWriter(synchronous: 'full' | 'normal'): Connection
  openReader(...pragmas: readonly string[]): Connection
}

/**
 * Closes all connections to one file. What was committed is moved from the WAL into the database,
 * as far as no other process reads there: it need not be done when the file is opened again.
 */
export async function closeDatabaseFile(
  readers: readonly Connection[],
  writers: readonly Connection[],
): Promise<void> {
  for (const reader of readers) reader.close()
  for (const writer of writers) {
    try {
      writer.exec('pragma wal_checkpoint(truncate)')
    } finally {
      writer.close()
    }
  }
  if (writers.some((writer) => writer.keepsFilesOpenAfterClose)) await releaseConnections()
}

/**
 * @throws TypeError when it names no file: each connection would then have a database of its own
 */
export function checkDatabaseFile(file: string): void {
  if (file !== '' && file !== ':memory:') return
  throw new TypeError(
    `'${file}' is no file that several connections can share; give the path of one, or take memory() and memoryBlobs(), which keep everything in memory.`,
  )
}

/**
 * Lets connections be opened to a file, which is made when it is missing, with its folder. Where
 * that fails, those that were made are closed.
 */
export async function openDatabaseFile<T>(
  file: string,
  connect: (to: ConnectionFactory) => Promise<T>,
): Promise<T> {
  const driver = await loadDriver()
  const connections: Connection[] = []
  const connectionWith = (readOnly: boolean, pragmas: readonly string[]): Connection => {
    const made = connection(driver.open(file, { readOnly }))
    connections.push(made)
    for (const pragma of pragmas) made.exec(`pragma ${pragma}`)
    return made
  }
  try {
    await mkdir(dirname(file), { recursive: true, mode: ownerFolderMode })
    await createOwnerOnlyFile(file)
    return await connect({
      driverSpecifier: driver.specifier,
      openWriter: (synchronous) =>
        connectionWith(false, [
          busyTimeoutPragma,
          'journal_mode = wal',
          `synchronous = ${synchronous}`,
          // From here on waiting is done between turns of the event loop, see `group-commit.ts`.
          'busy_timeout = 0',
        ]),
      openReader: (...pragmas) => connectionWith(true, [busyTimeoutPragma, ...pragmas]),
    })
  } catch (error) {
    for (const one of connections) one.close()
    throw toOpenError(error, file)
  }
}

/**
 * Makes the file where it is missing, for its owner alone: SQLite would let everybody read it. What
 * SQLite puts beside it gets the file's own mode. One that is there is not even opened: to close it
 * again would lose the locks that other connections of this process have on it. What else keeps the
 * file from being made is left to SQLite to say.
 */
async function createOwnerOnlyFile(file: string): Promise<void> {
  const made = await open(file, 'wx', ownerFileMode).catch(() => undefined)
  await made?.close()
}

/** Others may hold the file for a moment. In milliseconds. */
const busyTimeoutPragma = 'busy_timeout = 5000'
