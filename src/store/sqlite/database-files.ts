import { open, stat } from 'node:fs/promises'
import type { DataCopy, DataFiles } from '../data-files.ts'
import { ownerFileMode } from '../file-modes.ts'
import { blobKeysInFile } from './blob-keys-in-file.ts'
import { hasBlobTables } from './blob-tables.ts'
import { type Database, loadDriver } from './driver.ts'
import { releaseConnections } from './release-connections.ts'
import { renameLogInFile } from './rename-log.ts'
import { isBusy, isDamage, toOpenError } from './sqlite-error.ts'

/** Other processes may lock the file for a moment. */
const busyTimeout = 'pragma busy_timeout = 5000'

/** No more sentences than this say what is damaged. */
const maxDamages = 20

/**
 * A file of SQLite, which is copied by the backup API: `vacuum into` would give rows new numbers,
 * which indexes of words refer to.
 *
 * @param deletions `wait` while a copy begins: the file has blobs that another file refers to
 */
export function databaseFiles<S>(
  path: string,
  at: (path: string) => S,
  deletions: 'wait' | 'go on',
): DataFiles<S> {
  return {
    path,
    at,
    companionSuffixes: ['-wal', '-shm', '-journal'],
    beginCopy: () => beginCopy(path, deletions),
    refuseUse: () => refuseUse(path),
    findDamage: () => findDamage(path),
    findBlobKeys: () => blobKeysInFile(path),
    renameLog: () => renameLogInFile(path),
  }
}

async function beginCopy(path: string, deletions: 'wait' | 'go on'): Promise<DataCopy> {
  const { open: openDatabase } = await loadDriver()
  const opened: Database[] = []
  const openBeside = (readOnly: boolean): Database => {
    try {
      const database = openDatabase(path, { readOnly })
      opened.push(database)
      database.exec(busyTimeout)
      return database
    } catch (error) {
      throw toOpenError(error, path)
    }
  }
  const end = async () => {
    const closed = opened.splice(0)
    for (const database of closed) database.close()
    if (closed.some((database) => database.keepsFilesOpenAfterClose)) await releaseConnections(path)
  }
  try {
    const reader = openBeside(true)
    const blocker = deletions === 'wait' ? openBeside(false) : undefined
    blocker?.exec('begin immediate')
    return {
      async pin() {
        // The snapshot is that of the first statement. It lasts until the connection is closed.
        reader.exec('begin; select 1 from sqlite_schema limit 1')
        blocker?.exec('rollback')
      },
      async copyTo(target) {
        // SQLite would let everybody read a new file.
        await (await open(target, 'wx', ownerFileMode)).close()
        await reader.backUp(target)
        const { size } = await stat(target)
        return { fileCount: 1, byteCount: size, hasBlobs: hasBlobTables(reader) }
      },
      end,
    }
  } catch (error) {
    await end()
    throw error
  }
}

/**
 * Asks for an exclusive lock, which SQLite gives where no other connection is open. This moves the
 * WAL into the file, as each opening does.
 */
async function refuseUse(path: string): Promise<void> {
  const exists = await stat(path).catch(() => undefined)
  if (!exists) return
  let database: Database | undefined
  try {
    database = (await loadDriver()).open(path, { readOnly: false })
    database.exec(
      'pragma busy_timeout = 0; pragma locking_mode = exclusive; begin exclusive; rollback',
    )
  } catch (error) {
    // A damaged file is one that a backup replaces.
    if (isDamage(error)) return
    if (isBusy(error))
      throw new Error(`'${path}' is in use. Stop the service first.`, { cause: error })
    throw toOpenError(error, path)
  } finally {
    database?.close()
  }
}

async function findDamage(path: string): Promise<readonly string[]> {
  let database: Database | undefined
  try {
    database = (await loadDriver()).open(path, { readOnly: true })
    const rows = database.prepare(`pragma integrity_check(${maxDamages})`).all([])
    return rows.map(String).filter((row) => row !== 'ok')
  } catch (error) {
    return [(error as Error).message]
  } finally {
    database?.close()
  }
}
