import { existsSync } from 'node:fs'
import { mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ownerFileMode, ownerFolderMode } from '../file-modes.ts'
import { type Connection, connection } from './connection.ts'
import { loadDriver } from './driver.ts'
import { releaseConnections } from './release-connections.ts'
import { sqliteFileAt } from './sqlite-address.ts'
import { toOpenError } from './sqlite-error.ts'

/** Opens connections to one file. */
export interface ConnectionFactory {
  /** The module that a worker imports to read the same file. */
  readonly driverSpecifier: string
  /**
   * @param synchronous what its commits survive: `full` a power cut, `normal` the end of the
   * process
   */
  openWriter(synchronous: 'full' | 'normal', ...pragmas: readonly string[]): Connection
  openReader(...pragmas: readonly string[]): Connection
}

/**
 * Closes all connections to one file: it is not open any more when the promise settles. Moves the
 * WAL into the database, as far as no other process reads it, so that the next opening need not.
 */
export async function closeDatabaseFile(
  file: string,
  readers: readonly Connection[],
  writers: readonly Connection[],
): Promise<void> {
  for (const reader of readers) reader.close()
  for (const writer of writers) {
    try {
      writer.exec('pragma wal_checkpoint(truncate)')
    } catch (cause) {
      // What was committed is in the WAL, from which the next opening reads it.
      throw new Error(
        `Cannot copy what was written last into the SQLite file '${file}': ${(cause as Error).message}. It stays in '${file}-wal'.`,
        { cause },
      )
    } finally {
      writer.close()
    }
  }
  if (!writers.some((writer) => writer.keepsFilesOpenAfterClose)) return
  await releaseConnections(file)
  await removeWal(file)
}

/**
 * The last connection that ends removes the WAL, unless it only reads, and the garbage collector
 * ends them in any order.
 */
async function removeWal(file: string): Promise<void> {
  if (!existsSync(`${file}-wal`)) return
  const last = (await loadDriver()).open(file, { readOnly: false })
  try {
    // A connection that has not read the file does not know of the WAL.
    last.exec('pragma busy_timeout = 0; pragma schema_version')
  } catch {
    // Another process has locked the file, and removes the WAL at its end.
  } finally {
    last.close()
  }
}

/**
 * @throws TypeError for `''` and `':memory:'`, where each connection would have its own database,
 * and for an address
 */
export function checkDatabaseFile(file: string): void {
  const path = sqliteFileAt(file)
  if (path !== undefined)
    throw new TypeError(
      `'${file}' is an address, which only commands take; expected the path of a file: '${path}'.`,
    )
  if (file !== '' && file !== ':memory:') return
  throw new TypeError(
    `Several connections cannot share '${file}'. Pass the path of a file, or use memory() or memoryBlobs().`,
  )
}

/**
 * Opens a file, and creates it and its folder where they are missing. Closes the connections when
 * `connect` fails.
 */
export async function openDatabaseFile<T>(
  file: string,
  connect: (factory: ConnectionFactory) => Promise<T>,
): Promise<T> {
  const driver = await loadDriver()
  const connections: Connection[] = []
  const openConnection = (readOnly: boolean, pragmas: readonly string[]): Connection => {
    const opened = connection(driver.open(file, { readOnly }))
    connections.push(opened)
    for (const pragma of pragmas) opened.exec(`pragma ${pragma}`)
    return opened
  }
  try {
    await mkdir(dirname(file), { recursive: true, mode: ownerFolderMode })
    await createOwnerOnlyFile(file)
    return await connect({
      driverSpecifier: driver.specifier,
      openWriter: (synchronous, ...pragmas) =>
        openConnection(false, [
          busyTimeoutPragma,
          'journal_mode = wal',
          `synchronous = ${synchronous}`,
          ...pragmas,
          // From here on the group commit waits for locks, without blocking the event loop.
          'busy_timeout = 0',
        ]),
      openReader: (...pragmas) => openConnection(true, [busyTimeoutPragma, ...pragmas]),
    })
  } catch (error) {
    for (const connection of connections) connection.close()
    throw toOpenError(error, file)
  }
}

/** Reads a file that exists, and closes it again. */
export async function openExistingFile<T>(
  file: string,
  read: (connection: Connection) => T | Promise<T>,
): Promise<T> {
  const driver = await loadDriver()
  let reader: Connection | undefined
  try {
    reader = connection(driver.open(file, { readOnly: true }))
    reader.exec(`pragma ${busyTimeoutPragma}`)
    return await read(reader)
  } catch (error) {
    throw toOpenError(error, file)
  } finally {
    reader?.close()
  }
}

/**
 * Creates a missing file readable by its owner only; SQLite would let everybody read it. SQLite's
 * own files beside it get the same mode. An existing file is not opened: closing it again would
 * release the locks of other connections of this process. SQLite reports any other error.
 */
async function createOwnerOnlyFile(file: string): Promise<void> {
  const handle = await open(file, 'wx', ownerFileMode).catch(() => undefined)
  await handle?.close()
}

/** Other processes may lock the file for a moment. In milliseconds. */
const busyTimeoutPragma = 'busy_timeout = 5000'
