import { warnAboutBundle } from '../../bundle/package-files.ts'
import { StoreTimeout } from '../store-failures.ts'
import { type Connection, StatementTimeout } from './connection.ts'
import { queryRows, runStatement } from './run-statement.ts'
import { type ScanRequest, type ScanThread, scanAborted } from './scan-thread.ts'

/**
 * Runs scans on the main thread, for bundles without the file of the worker: they are right, but
 * other requests wait meanwhile. A statement that takes too long is aborted.
 */
export function mainThreadScans(openReader: () => Connection, timeoutMs: number): ScanThread {
  warnAboutBundle(
    "The file 'scan-worker.js' of resourcery is missing, so other requests wait while a large table of SQLite is searched.",
  )
  const connection = openReader()
  let isClosed = false
  return {
    async run(request) {
      // Other requests take their turn between two scans.
      await new Promise((resolve) => setImmediate(resolve))
      if (isClosed) throw scanAborted()
      try {
        return connection.withTimeout(timeoutMs, () => handle(connection, request))
      } catch (error) {
        throw error instanceof StatementTimeout ? new StoreTimeout(timeoutMs) : error
      }
    },
    // A statement cannot be aborted from the thread that it blocks.
    stop: () => {},
    async close() {
      isClosed = true
      connection.close()
    },
  }
}

/** As `scan-worker.js` does. */
function handle(connection: Connection, request: ScanRequest): unknown {
  switch (request.kind) {
    case 'rows':
      return connection.withByteLimit(request.maxBytes, () =>
        queryRows(connection, request.statement),
      )
    case 'begin': {
      const table = `temp."list ${request.list}"`
      connection.exec(
        `create table ${table} (position integer primary key, id text not null, check (iif(random() & 63, true, check_interrupt())))`,
      )
      const { sql, parameters } = request.ids
      return runStatement(connection, { sql: `insert into ${table} (id) ${sql}`, parameters })
    }
    case 'end':
      return connection.exec(`drop table if exists temp."list ${request.list}"`)
  }
}
