// A place for the data of each store that a command takes.

import { join } from 'node:path'
import { inRunFolder } from './in-run-folder.mjs'
import { PostgresServer } from './postgres-server.mjs'

/**
 * @typedef {object} StorePlace
 * @property {string} store
 * @property {string} location a file, or the URL of a database
 * @property {string} folder of the run
 * @property {PostgresServer | undefined} server where the database is
 */

/**
 * Calls a function for one store after the other, with new data each. It starts a server where one
 * of the stores is PostgreSQL.
 *
 * @param {readonly string[]} stores
 * @param {string} database its name
 * @param {(place: StorePlace) => Promise<void>} use
 */
export function inEachStore(stores, database, use) {
  return inRunFolder(async (folder) => {
    const running = stores.includes('postgres') ? await PostgresServer.start(folder) : undefined
    for (const store of stores) {
      const server = store === 'postgres' ? running : undefined
      const location = server ? await server.createDatabase(database) : join(folder, store)
      await use({ store, location, folder, server })
    }
  })
}
